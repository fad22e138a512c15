import FoundationEssentials
import Synchronization

/// A resource whose whole content is kept in memory from the first read on. Not for large ones.
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
