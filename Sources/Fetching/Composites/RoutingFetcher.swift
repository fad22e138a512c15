/// A fetcher that passes each link to the first child that accepts it.
///
/// ```swift
/// let local = ArchiveFetcher(path: "/books/emma.epub")
/// let fetcher = RoutingFetcher(local: local, remote: HTTPFetcher())
/// print(fetcher.get(href: "/cover.jpg").link.href)
/// ```
public struct RoutingFetcher: Fetcher {
    /// A child and the links that it serves.
    public struct Route: Sendable {
        /// The child that serves the accepted links.
        public let fetcher: any Fetcher
        /// Returns whether this child serves a link.
        public let accepts: @Sendable (Link) -> Bool

        /// Creates a route for the links that `accepts` accepts; by default, all links.
        public init(fetcher: any Fetcher, accepts: @escaping @Sendable (Link) -> Bool = { _ in true }) {
            self.fetcher = fetcher
            self.accepts = accepts
        }
    }

    private let routes: [Route]

    /// Creates a fetcher that tries the routes in this order. The first route that accepts a link serves it, even if
    /// its resource then fails.
    public init(routes: [Route]) { self.routes = routes }

    /// Creates a fetcher that sends HREFs beginning with `/` to `local` and all others to `remote`. Relative HREFs
    /// must be normalized before.
    public init(local: any Fetcher, remote: any Fetcher) {
        self.init(routes: [
            Route(fetcher: local) { $0.href.utf8.first == UInt8(ascii: "/") },
            Route(fetcher: remote),
        ])
    }

    /// The links of all routes, in route order. A link of several routes is listed several times.
    public var links: [Link] { routes.flatMap(\.fetcher.links) }

    /// Returns the resource of the first route that accepts the link, or else one that fails with `notFound`.
    public func get(_ link: Link, parameters: [String: String]) -> any Resource {
        guard let route = routes.first(where: { $0.accepts(link) }) else {
            return FailureResource(
                link: link,
                error: .notFound(
                    RequestProblem(.noSuchResource, "No route accepts the link.", subject: link.href)))
        }
        return route.fetcher.get(link, parameters: parameters)
    }

    /// Closes each child once, even if several routes share it.
    public func close() {
        var closed: Set<ObjectIdentifier> = []
        for route in routes {
            // Values have no identity; closing a copy twice has no effect, by the contract of the protocol.
            if type(of: route.fetcher) is AnyObject.Type,
                !closed.insert(ObjectIdentifier(route.fetcher as AnyObject)).inserted
            {
                continue
            }
            route.fetcher.close()
        }
    }
}
