import FoundationEssentials
import Synchronization

/// A resource whose whole content is transformed once and then kept. Not for large ones.
///
/// Ranges and the length are those of the transformed bytes. Failures pass through untransformed.
public final class TransformingResource: Resource {
    private let resource: any Resource
    private let content: WholeContent
    private let type: String?

    /// Transforms the content of `resource`, which it closes with itself.
    ///
    /// - `type`: the media type of the result, if it is another.
    /// - `transform`: makes the new content; called at most once at a time, not before the first read.
    public init(
        _ resource: any Resource, type: String? = nil, transform: @escaping @Sendable (Data) -> Data
    ) {
        self.resource = resource
        self.type = type
        content = WholeContent { resource.read(range: nil).map(transform) }
    }

    /// Transforms the content of `resource` by something that may fail.
    ///
    /// `throwingTransform`: as `transform`; a `ResourceError` it throws is the resource's, any other becomes `other`.
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

    /// Bytes of the transformed content.
    public func read(range: Range<Int64>?) -> Result<Data, ResourceError> {
        content.load().map { $0.bytes(in: range) }
    }

    /// Forgets the content and closes the resource. Waits for no read: one that is under way fails, or ends with what it has.
    public func close() {
        content.close()
        resource.close()
    }
}

/// A resource whose whole content is kept in memory from the first read on. Not for large ones.
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

    /// Keeps the content of `resource`, which it closes with itself.
    public init(_ resource: any Resource) {
        self.resource = resource
        content = WholeContent { resource.read(range: nil) }
    }

    /// The link of the resource.
    public var link: Link { resource.link }

    /// The resource's own length before the first read, the number of bytes after it.
    public var length: Result<Int64, ResourceError> {
        content.known.map { .success(Int64($0.count)) } ?? resource.length
    }

    /// The resource's file.
    public var file: URL? { resource.file }

    /// Bytes of what is kept. A failed read is not kept.
    public func read(range: Range<Int64>?) -> Result<Data, ResourceError> {
        content.load().map { $0.bytes(in: range) }
    }

    /// Forgets the content and closes the resource. Waits for no read: one that is under way fails, or ends with what it has.
    public func close() {
        content.close()
        resource.close()
    }
}
