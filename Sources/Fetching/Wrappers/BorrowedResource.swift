import FoundationEssentials

/// A resource that somebody else closes: it forwards everything but `close()`, which does nothing.
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
