/// A fetcher that has nothing.
public struct EmptyFetcher: Fetcher {
    /// A fetcher without links, whose every resource fails with `notFound`.
    public init() {}

    /// None.
    public var links: [Link] { [] }

    /// A resource that fails with `notFound`.
    public func get(_ link: Link, parameters: [String: String]) -> any Resource {
        FailureResource(
            link: link, error: .notFound(RequestProblem(.noSuchResource, "Nothing exists here.", subject: link.href)))
    }

    /// Does nothing.
    public func close() {}
}
