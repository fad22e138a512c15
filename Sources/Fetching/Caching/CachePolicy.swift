/// What a `CachingFetcher` keeps and for how long (fetcher reference, sections 14.1 and 14.6). Times are in seconds.
public struct CachePolicy: Sendable, Equatable {
    /// How the decision is taken.
    public enum Mode: Sendable, Equatable {
        /// As the server's header fields say, by RFC 9111.
        case respectHeaders
        /// Whatever the server says, also `no-store`: everything is kept and fresh for that long. For servers whose owner
        /// asks for offline use.
        case always(maxAge: Int64)
        /// Nothing is kept, nothing is served from the store.
        case never
        /// Only what was pinned; the rest passes through.
        case onlyPinned
    }

    /// How the decision is taken.
    public var mode: Mode
    /// Whether what is no longer fresh is served when the server cannot be reached and its answer did not forbid that.
    public var staleIfUnavailable = true
    /// How long a content is fresh of which nothing is known; nil keeps no such content.
    public var defaultMaxAge: Int64?
    /// How long a content without other information is fresh, as part of its age when it came.
    public var heuristicFraction = 0.1
    /// The most that `heuristicFraction` gives.
    public var heuristicLimit: Int64 = 24 * 3600
    /// Whether `notFound` is remembered, for `defaultMaxAge` or a minute, until the fetcher is closed.
    public var cacheErrors = false

    /// A policy with a mode and the values above.
    public init(_ mode: Mode = .respectHeaders) { self.mode = mode }

    /// As the server says.
    public static let respectHeaders = CachePolicy(.respectHeaders)
    /// Everything for a time in seconds.
    public static func always(maxAge: Int64) -> CachePolicy { CachePolicy(.always(maxAge: maxAge)) }
    /// Nothing.
    public static let never = CachePolicy(.never)
    /// What was pinned.
    public static let onlyPinned = CachePolicy(.onlyPinned)
}
