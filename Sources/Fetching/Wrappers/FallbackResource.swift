import FoundationEssentials
import Synchronization

/// A resource with a fallback that replaces it if its length cannot be determined.
///
/// ```swift
/// let book = ArchiveFetcher(path: "/books/emma.epub")
/// let cover = FallbackResource(book.get(href: "/cover.jpg"), fallback: book.get(href: "/cover.png"))
/// print(try cover.read().get().count, cover.link.href)
/// cover.close()
/// ```
public final class FallbackResource: Resource {
    private enum State {
        case undecided
        case chosen(any Resource)
    }

    private let original: any Resource
    private let fallback: @Sendable (ResourceError) -> any Resource
    /// Held while the length is determined, so that it is determined once.
    private let state = Mutex(State.undecided)
    private let closed = Atomic(false)

    /// Serves `resource`, or else `fallback`.
    public convenience init(_ resource: any Resource, fallback: any Resource) {
        self.init(resource) { _ in fallback }
    }

    /// Serves `resource`, or else the resource that `fallback` returns for its error.
    public init(_ resource: any Resource, fallback: @escaping @Sendable (ResourceError) -> any Resource) {
        original = resource
        self.fallback = fallback
    }

    /// The link of the resource in use; before the first read, that of the first resource.
    public var link: Link {
        let chosen: (any Resource)? = state.withLock { state in
            if case .chosen(let resource) = state { resource } else { nil }
        }
        return (chosen ?? original).link
    }

    /// The length of the resource in use.
    public var length: Result<Int64, ResourceError> { served.length }

    /// The file of the resource in use.
    public var file: URL? { served.file }

    /// Reads the resource in use.
    public func read(range: Range<Int64>?) -> Result<Data, ResourceError> { served.read(range: range) }

    /// Reads the resource in use as text.
    public func readAsString(encoding: String.Encoding?) -> Result<String, ResourceError> {
        served.readAsString(encoding: encoding)
    }

    /// Streams the resource in use.
    public func stream(range: Range<Int64>?, consume: (Data) -> Bool) -> Result<Int64, ResourceError> {
        served.stream(range: range, consume: consume)
    }

    /// Closes the first resource, and the fallback if it was used. Does not wait for reads in progress.
    public func close() {
        closed.store(true, ordering: .sequentiallyConsistent)
        original.close()
        // The thread that holds the lock checks for closing when it releases the lock.
        state.withLockIfAvailable { state in
            if case .chosen(let resource) = state { resource.close() }
        }
    }

    private var isClosed: Bool { closed.load(ordering: .sequentiallyConsistent) }

    private var served: any Resource {
        guard !isClosed else { return failing }
        let chosen = state.withLock { state in
            if case .chosen(let resource) = state { return resource }
            var chosen = original
            if case .failure(let error) = original.length { chosen = isClosed ? failing : fallback(error) }
            state = .chosen(chosen)
            return chosen
        }
        guard isClosed else { return chosen }
        chosen.close()
        return failing
    }

    private var failing: any Resource {
        FailureResource(link: original.link, error: .unavailable(RequestProblem.closed))
    }
}
