/// A fetcher that gives each link to the first child that accepts it.
///
/// ```swift
/// let local = ArchiveFetcher(path: "/books/emma.epub")
/// let fetcher = RoutingFetcher(local: local, remote: HTTPFetcher())
/// print(fetcher.get(href: "/cover.jpg").link.href)
/// ```
public struct RoutingFetcher: Fetcher {
    /// A child and the links it serves.
    public struct Route: Sendable {
        /// Serves what is accepted.
        public let fetcher: any Fetcher
        /// Whether this child serves a link.
        public let accepts: @Sendable (Link) -> Bool

        /// A child for the links that `accepts` accepts, all of them unless told otherwise.
        public init(fetcher: any Fetcher, accepts: @escaping @Sendable (Link) -> Bool = { _ in true }) {
            self.fetcher = fetcher
            self.accepts = accepts
        }
    }

    private let routes: [Route]

    /// Asks the routes in this order. The first that accepts serves the link, even if its resource then fails.
    public init(routes: [Route]) { self.routes = routes }

    /// HREFs that begin with `/` go to `local`, all others to `remote`; relative ones must be normalised before.
    public init(local: any Fetcher, remote: any Fetcher) {
        self.init(routes: [
            Route(fetcher: local) { $0.href.utf8.first == UInt8(ascii: "/") },
            Route(fetcher: remote),
        ])
    }

    /// The links of all routes one after the other; what two of them have is there twice.
    public var links: [Link] { routes.flatMap(\.fetcher.links) }

    /// The resource of the first route that accepts the link, else one that fails with `notFound`.
    public func get(_ link: Link, parameters: [String: String]) -> any Resource {
        guard let route = routes.first(where: { $0.accepts(link) }) else {
            return FailureResource(
                link: link,
                error: .notFound(
                    RequestProblem(.noSuchResource, "No route accepts the link.", subject: link.href)))
        }
        return route.fetcher.get(link, parameters: parameters)
    }

    /// Closes each child once, also one that several routes share.
    public func close() {
        var closed: Set<ObjectIdentifier> = []
        for route in routes {
            // Values have no identity, and closing a copy twice does nothing by the protocol's contract.
            if type(of: route.fetcher) is AnyObject.Type,
                !closed.insert(ObjectIdentifier(route.fetcher as AnyObject)).inserted
            {
                continue
            }
            route.fetcher.close()
        }
    }
}
