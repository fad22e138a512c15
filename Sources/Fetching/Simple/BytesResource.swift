import FoundationEssentials

/// Bytes in memory as a resource.
public final class BytesResource: Resource {
    /// The link it was made with.
    public let link: Link
    private let content: WholeContent

    /// A resource of these bytes.
    public init(link: Link, bytes: Data) {
        self.link = link
        content = WholeContent(bytes)
    }

    /// A resource of bytes that are made when they are first wanted, once.
    ///
    /// `bytes`: makes them; a `ResourceError` it throws is the resource's, any other becomes `other`. A failure that
    ///   may pass is not remembered.
    public init(link: Link, bytes: @escaping @Sendable () throws -> Data) {
        self.link = link
        content = WholeContent(keepsFailures: true) {
            Result(catching: bytes).mapError { $0 as? ResourceError ?? .other($0) }
        }
    }

    /// The number of bytes.
    public var length: Result<Int64, ResourceError> { content.load().map { Int64($0.count) } }

    /// A copy of the bytes asked for.
    public func read(range: Range<Int64>?) -> Result<Data, ResourceError> {
        content.load().map { $0.bytes(in: range) }
    }

    /// Lets go of the bytes. Waits for nobody who makes them.
    public func close() { content.close() }
}
