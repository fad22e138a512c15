import DeviceTransport
import Dispatch
import Fetching
import HostErrors
import Platform

extension OpenContent {
    /// Opens the file at a URL. The request is sent when the file is read.
    ///
    /// - Parameters:
    ///   - client: sends the requests.
    ///   - cache: stores contents for later use; nil to not store them.
    ///   - limits: the limits: a cancellation ends requests, and waiting ends at the deadline.
    /// - Throws: `invalidArgument` if the text is not an `http` or `https` URL.
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

    /// Whether a text is an `http` or `https` URL, not a path.
    package static func isURL(_ text: String) -> Bool {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        return (scheme == "http" || scheme == "https") && text.dropFirst(scheme.count).hasPrefix("://")
    }

    /// The decoded last component of a URL's path; nil if it is empty.
    private static func fileName(_ url: String) -> String? {
        let withoutQuery = url.prefix { $0 != "?" && $0 != "#" }
        let authority = withoutQuery.drop { $0 != "/" }.dropFirst(2)
        let segments = authority.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count > 1, let name = segments.last, !name.isEmpty else { return nil }
        return PercentCoding.decoded(name) ?? String(name)
    }
}

/// Ends requests to a server when their command is cancelled or its time is over, even while bytes arrive.
///
/// Has an effect only while it is kept. Any thread may release it.
///
/// Unchecked: the timer is set before other threads can access this object, and Dispatch allows any thread to cancel
/// a source.
final class RequestLimits: @unchecked Sendable {
    private let cancel: Cancellation.Registration?
    private let timer: (any DispatchSourceTimer)?

    /// - Parameter end: called at most once for each limit, on a separate thread.
    init(_ limits: OperationContext, _ end: @escaping @Sendable () -> Void) {
        cancel = limits.cancellation?.whenCancelled(end)
        guard let deadline = limits.deadline else {
            timer = nil
            return
        }
        let left = max(.zero, ContinuousClock.now.duration(to: deadline)).components
        let timer = DispatchSource.makeTimerSource()
        // A deadline of more than a year is reduced to a year.
        let nanoseconds = min(left.seconds, 31_536_000) * 1_000_000_000 + left.attoseconds / 1_000_000_000
        timer.setEventHandler(handler: end)
        timer.schedule(deadline: .now() + .nanoseconds(Int(nanoseconds)))
        timer.activate()
        self.timer = timer
    }

    deinit { timer?.cancel() }
}
