import FoundationEssentials

/// A resource that forwards everything to another; a base for wrappers that change one member.
// Unchecked because subclasses may follow: its own only property never changes and is Sendable.
open class ProxyResource: Resource, @unchecked Sendable {
    /// The resource that does the work.
    public let resource: any Resource

    /// Forwards to `resource`.
    public init(_ resource: any Resource) { self.resource = resource }

    /// The other's link.
    open var link: Link { resource.link }
    /// The other's length.
    open var length: Result<Int64, ResourceError> { resource.length }
    /// The other's file.
    open var file: URL? { resource.file }

    /// Reads the other.
    open func read(range: Range<Int64>?) -> Result<Data, ResourceError> { resource.read(range: range) }

    /// Reads the other as text.
    open func readAsString(encoding: String.Encoding?) -> Result<String, ResourceError> {
        resource.readAsString(encoding: encoding)
    }

    /// Streams the other.
    open func stream(range: Range<Int64>?, consume: (Data) -> Bool) -> Result<Int64, ResourceError> {
        resource.stream(range: range, consume: consume)
    }

    /// Closes the other.
    open func close() { resource.close() }
}

/// A resource that another object closes: it forwards everything but `close()`, which does nothing.
public struct BorrowedResource: Resource {
    private let resource: any Resource

    /// Borrows `resource`.
    public init(_ resource: any Resource) { self.resource = resource }

    /// The lender's link.
    public var link: Link { resource.link }
    /// The lender's length.
    public var length: Result<Int64, ResourceError> { resource.length }
    /// The lender's file.
    public var file: URL? { resource.file }

    /// Reads the lender.
    public func read(range: Range<Int64>?) -> Result<Data, ResourceError> { resource.read(range: range) }

    /// Reads the lender as text.
    public func readAsString(encoding: String.Encoding?) -> Result<String, ResourceError> {
        resource.readAsString(encoding: encoding)
    }

    /// Streams the lender.
    public func stream(range: Range<Int64>?, consume: (Data) -> Bool) -> Result<Int64, ResourceError> {
        resource.stream(range: range, consume: consume)
    }

    /// Does nothing.
    public func close() {}
}
