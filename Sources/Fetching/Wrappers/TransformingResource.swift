import FoundationEssentials
import Synchronization

/// A resource that transforms the complete content of another once and keeps the result. Not suitable for large
/// resources.
///
/// Ranges and the length refer to the transformed bytes. Failures are passed through.
///
/// ```swift
/// let chapter = ArchiveFetcher(path: "/books/emma.epub").get(href: "/OPS/chapter-1.txt")
/// let page = TransformingResource(chapter) { bytes in Data(bytes.filter { $0 != 0x0D }) }
/// print(try page.readAsString().get())  // with Unix line ends
/// page.close()
/// ```
public final class TransformingResource: Resource {
    private let resource: any Resource
    private let content: WholeContent
    private let type: String?

    /// Transforms the content of `resource`, which it closes with itself.
    ///
    /// - `type`: the media type of the result, if it differs.
    /// - `transform`: returns the new content. It is not called before the first read, and not concurrently.
    public init(
        _ resource: any Resource, type: String? = nil, transform: @escaping @Sendable (Data) -> Data
    ) {
        self.resource = resource
        self.type = type
        content = WholeContent { resource.read(range: nil).map(transform) }
    }

    /// Transforms the content of `resource` with a function that may fail.
    ///
    /// `throwingTransform`: like `transform`. If it throws a `ResourceError`, the resource fails with it; any other
    /// error becomes `other`.
    public init(
        _ resource: any Resource, type: String? = nil,
        throwingTransform: @escaping @Sendable (Data) throws -> Data
    ) {
        self.resource = resource
        self.type = type
        content = WholeContent {
            resource.read(range: nil).flatMap { data in
                Result { try throwingTransform(data) }.mapError { $0 as? ResourceError ?? .other($0) }
            }
        }
    }

    /// The link of the resource, without the properties that describe its bytes in the archive.
    public var link: Link {
        var link = resource.link
        for name in ArchiveProperties.names { link.properties[name] = nil }
        if let type { link.type = type }
        return link
    }

    /// The number of transformed bytes.
    public var length: Result<Int64, ResourceError> { content.load().map { Int64($0.count) } }

    /// Reads bytes of the transformed content.
    public func read(range: Range<Int64>?) -> Result<Data, ResourceError> {
        content.load().map { $0.bytes(in: range) }
    }

    /// Releases the content and closes the resource. Does not wait for reads in progress, which fail or return what
    /// they have.
    public func close() {
        content.close()
        resource.close()
    }
}

/// A resource that keeps its complete content in memory from the first read on. Not suitable for large resources.
///
/// ```swift
/// let archive = ArchiveFetcher(path: "/books/emma.epub")
/// let page = CachingResource(archive.get(href: "/OPS/chapter-1.xhtml"))
/// print(try page.read(range: 0..<100).get())
/// print(try page.read(range: 100..<200).get())  // from memory
/// page.close()
/// ```
public final class CachingResource: Resource {
    private let resource: any Resource
    private let content: WholeContent

    /// Caches the content of `resource`, which it closes with itself.
    public init(_ resource: any Resource) {
        self.resource = resource
        content = WholeContent { resource.read(range: nil) }
    }

    /// The link of the resource.
    public var link: Link { resource.link }

    /// The resource's own length before the first read; afterwards the number of bytes.
    public var length: Result<Int64, ResourceError> {
        content.known.map { .success(Int64($0.count)) } ?? resource.length
    }

    /// The resource's file.
    public var file: URL? { resource.file }

    /// Reads the kept bytes. A failed read is not kept.
    public func read(range: Range<Int64>?) -> Result<Data, ResourceError> {
        content.load().map { $0.bytes(in: range) }
    }

    /// Releases the content and closes the resource. Does not wait for reads in progress, which fail or return what
    /// they have.
    public func close() {
        content.close()
        resource.close()
    }
}
