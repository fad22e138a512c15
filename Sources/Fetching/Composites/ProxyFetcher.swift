/// A fetcher that asks a closure for each resource (fetcher reference section 11).
public struct ProxyFetcher: Fetcher {
    private let resource: @Sendable (Link) -> any Resource

    /// Asks `closure` at each `get`; nothing is kept. Parameters have been put into the link's template, if it has one.
    public init(closure: @escaping @Sendable (Link) -> any Resource) { resource = closure }

    /// Asks for a text at each `get`, which becomes a `StringResource`.
    public init(text closure: @escaping @Sendable (Link) -> String) {
        resource = { link in StringResource(link: link, string: closure(link)) }
    }

    /// None: a closure cannot know.
    public var links: [Link] { [] }

    /// What the closure gives for the link.
    public func get(_ link: Link, parameters: [String: String]) -> any Resource {
        switch link.expanded(with: parameters) {
        case .success(let link): resource(link)
        case .failure(let error): FailureResource(link: link, error: error)
        }
    }

    /// Does nothing.
    public func close() {}
}
