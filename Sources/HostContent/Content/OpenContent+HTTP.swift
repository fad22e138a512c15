import DeviceTransport
import Dispatch
import Fetching
import HostErrors
import Platform

extension OpenContent {
    /// A file behind a URL. The server is asked when the file is read.
    ///
    /// - Parameters:
    ///   - client: what asks the server.
    ///   - cache: where contents are kept for the next time; nil for nowhere.
    ///   - limits: a cancel ends what is under way; no wait lasts beyond the deadline.
    /// - Throws: `invalidArgument` for anything but an `http` or `https` URL.
    package convenience init(
        url: String, client: any HTTPClient = CurlHTTPClient.shared, cache: CacheStore? = nil,
        limits: OperationContext
    ) throws(HostError) {
        guard Self.isURL(url) else {
            throw HostError(
                .invalidArgument, "This is not an http or https URL.", subject: url,
                hint: "Write the full URL, beginning with https://.")
        }
        let ending = HTTPCancellation()
        let fetcher = HTTPFetcher(
            client: client, base: nil, configuration: HTTPFetcher.Configuration(),
            cancellation: ending)
        let resource =
            cache.map { CachingFetcher(fetcher, store: $0).get(href: url) } ?? fetcher.get(href: url)
        self.init(
            ResourceByteSource(resource), name: Self.fileName(url), isFar: true, resource: resource,
            keeping: RequestLimits(limits) { ending.cancel() })
    }

    /// Whether a text is an `http` or `https` URL rather than a path.
    package static func isURL(_ text: String) -> Bool {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        return (scheme == "http" || scheme == "https") && text.dropFirst(scheme.count).hasPrefix("://")
    }

    /// The last segment of a URL's path, decoded; nil if it is empty.
    private static func fileName(_ url: String) -> String? {
        let withoutQuery = url.prefix { $0 != "?" && $0 != "#" }
        let authority = withoutQuery.drop { $0 != "/" }.dropFirst(2)
        let segments = authority.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count > 1, let name = segments.last, !name.isEmpty else { return nil }
        return PercentCoding.decoded(name) ?? String(name)
    }
}

/// Ends requests to a server when their command is cancelled or its time is over, also while bytes keep coming.
///
/// Only as long as it is kept. Any thread may let go of it.
///
/// Unchecked: the timer is set up before other threads get this object, and Dispatch lets any thread cancel a source.
final class RequestLimits: @unchecked Sendable {
    private let cancel: Cancellation.Registration?
    private let timer: (any DispatchSourceTimer)?

    /// - Parameter end: called at most once for each limit, on its own thread.
    init(_ limits: OperationContext, _ end: @escaping @Sendable () -> Void) {
        cancel = limits.cancellation?.whenCancelled(end)
        guard let deadline = limits.deadline else {
            timer = nil
            return
        }
        let left = max(.zero, ContinuousClock.now.duration(to: deadline)).components
        let timer = DispatchSource.makeTimerSource()
        // A deadline beyond a year is none.
        let nanoseconds = min(left.seconds, 31_536_000) * 1_000_000_000 + left.attoseconds / 1_000_000_000
        timer.setEventHandler(handler: end)
        timer.schedule(deadline: .now() + .nanoseconds(Int(nanoseconds)))
        timer.activate()
        self.timer = timer
    }

    deinit { timer?.cancel() }
}
