/// A fetcher that asks a closure for each resource.
///
/// ```swift
/// let greetings = ProxyFetcher(text: { link in "Hello, " + link.href })
/// print(try greetings.get(href: "/you").readAsString().get())  // Hello, /you
/// ```
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

/// A fetcher that has nothing.
public struct EmptyFetcher: Fetcher {
    /// A fetcher without links: each resource fails with `notFound`.
    public init() {}

    /// None.
    public var links: [Link] { [] }

    /// A resource that fails with `notFound`.
    public func get(_ link: Link, parameters: [String: String]) -> any Resource {
        FailureResource(
            link: link,
            error: .notFound(RequestProblem(.noSuchResource, "Nothing exists here.", subject: link.href)))
    }

    /// Does nothing.
    public func close() {}
}

/// A fetcher that passes each resource of a child through transformers.
///
/// ```swift
/// let fetcher = TransformingFetcher(fetcher: FileFetcher(paths: ["/": "/book"])) { resource in
///     guard resource.link.href.hasSuffix(".txt") else { return resource }
///     return TransformingResource(resource, type: "text/plain") { Data($0.reversed()) }
/// }
/// print(fetcher.get(href: "/a.txt").link.type ?? "")
/// ```
public struct TransformingFetcher: Fetcher {
    /// Wraps a resource, or returns it as it is where it has nothing to do. It must not read while wrapping.
    public typealias Transformer = @Sendable (any Resource) -> any Resource

    private let fetcher: any Fetcher
    private let transformers: [Transformer]

    /// Applies the transformers in this order: the last one gets what the others made.
    public init(fetcher: any Fetcher, transformers: [Transformer]) {
        self.fetcher = fetcher
        self.transformers = transformers
    }

    /// Applies one transformer.
    public init(fetcher: any Fetcher, transformer: @escaping Transformer) {
        self.init(fetcher: fetcher, transformers: [transformer])
    }

    /// The child's links.
    public var links: [Link] { fetcher.links }

    /// The child's resource, transformed anew at each call.
    public func get(_ link: Link, parameters: [String: String]) -> any Resource {
        transformers.reduce(fetcher.get(link, parameters: parameters)) { resource, transform in
            transform(resource)
        }
    }

    /// Closes the child.
    public func close() { fetcher.close() }
}
