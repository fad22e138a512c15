import FoundationEssentials

/// A resource that forwards everything to another; a base for wrappers that change one member.
// Unchecked because subclasses may follow: its own only property never changes and is Sendable.
open class ProxyResource: Resource, @unchecked Sendable {
    /// The resource that does the work.
    public let resource: any Resource

    /// Forwards to `resource`.
    public init(_ resource: any Resource) { self.resource = resource }

    /// The link of `resource`.
    open var link: Link { resource.link }
    /// The length of `resource`.
    open var length: Result<Int64, ResourceError> { resource.length }
    /// The file of `resource`.
    open var file: URL? { resource.file }

    /// Reads `resource`.
    open func read(range: Range<Int64>?) -> Result<Data, ResourceError> { resource.read(range: range) }

    /// Reads `resource` as text.
    open func readAsString(encoding: String.Encoding?) -> Result<String, ResourceError> {
        resource.readAsString(encoding: encoding)
    }

    /// Streams `resource`.
    open func stream(range: Range<Int64>?, consume: (Data) -> Bool) -> Result<Int64, ResourceError> {
        resource.stream(range: range, consume: consume)
    }

    /// Closes `resource`.
    open func close() { resource.close() }
}

/// A resource that another object owns and closes. It forwards everything except `close()`, which does nothing.
///
/// ```swift
/// let page = CachingResource(ArchiveFetcher(path: "/books/emma.epub").get(href: "/OPS/chapter-1.xhtml"))
/// let lent = BorrowedResource(page)
/// print(try lent.readAsString().get())
/// lent.close()  // the page stays open
/// page.close()
/// ```
public struct BorrowedResource: Resource {
    private let resource: any Resource

    /// Borrows `resource`.
    public init(_ resource: any Resource) { self.resource = resource }

    /// The link of the borrowed resource.
    public var link: Link { resource.link }
    /// The length of the borrowed resource.
    public var length: Result<Int64, ResourceError> { resource.length }
    /// The file of the borrowed resource.
    public var file: URL? { resource.file }

    /// Reads the borrowed resource.
    public func read(range: Range<Int64>?) -> Result<Data, ResourceError> { resource.read(range: range) }

    /// Reads the borrowed resource as text.
    public func readAsString(encoding: String.Encoding?) -> Result<String, ResourceError> {
        resource.readAsString(encoding: encoding)
    }

    /// Streams the borrowed resource.
    public func stream(range: Range<Int64>?, consume: (Data) -> Bool) -> Result<Int64, ResourceError> {
        resource.stream(range: range, consume: consume)
    }

    /// Does nothing, because the owner closes the resource.
    public func close() {}
}
