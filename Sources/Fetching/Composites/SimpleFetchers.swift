/// A fetcher that calls a closure for each resource.
///
/// ```swift
/// let greetings = ProxyFetcher(text: { link in "Hello, " + link.href })
/// print(try greetings.get(href: "/you").readAsString().get())  // Hello, /you
/// ```
public struct ProxyFetcher: Fetcher {
    private let resource: @Sendable (Link) -> any Resource

    /// Calls `closure` at each `get` and keeps nothing. Parameters are inserted into the link's template before, if
    /// it has one.
    public init(closure: @escaping @Sendable (Link) -> any Resource) { resource = closure }

    /// Calls a closure for a text at each `get`. The text becomes a `StringResource`.
    public init(text closure: @escaping @Sendable (Link) -> String) {
        resource = { link in StringResource(link: link, string: closure(link)) }
    }

    /// Always empty, because a closure cannot list its resources.
    public var links: [Link] { [] }

    /// Returns the result of the closure for the link.
    public func get(_ link: Link, parameters: [String: String]) -> any Resource {
        switch link.expanded(with: parameters) {
        case .success(let link): resource(link)
        case .failure(let error): FailureResource(link: link, error: error)
        }
    }

    /// Does nothing.
    public func close() {}
}

/// A fetcher without resources.
///
/// ```swift
/// func fetcher(_ book: String?) -> any Fetcher {
///     guard let book else { return EmptyFetcher() }
///     return ArchiveFetcher(path: book)
/// }
/// ```
public struct EmptyFetcher: Fetcher {
    /// Creates a fetcher without links. All its resources fail with `notFound`.
    public init() {}

    /// Always empty.
    public var links: [Link] { [] }

    /// Returns a resource that fails with `notFound`.
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
    /// Wraps a resource, or returns it unchanged if there is nothing to transform. It must not read the resource.
    public typealias Transformer = @Sendable (any Resource) -> any Resource

    private let fetcher: any Fetcher
    private let transformers: [Transformer]

    /// Applies the transformers in this order; each receives the result of the previous one.
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

    /// Returns the child's resource. The transformers run again at each call.
    public func get(_ link: Link, parameters: [String: String]) -> any Resource {
        transformers.reduce(fetcher.get(link, parameters: parameters)) { resource, transform in
            transform(resource)
        }
    }

    /// Closes the child.
    public func close() { fetcher.close() }
}
