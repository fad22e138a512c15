/// A fetcher that passes each resource of a child through transformers (fetcher reference section 13).
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
