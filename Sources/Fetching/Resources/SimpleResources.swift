import FoundationEssentials

/// A resource of which everything fails with one error. `close()` does nothing.
public struct FailureResource: Resource {
    /// The link that was asked for.
    public let link: Link
    /// What everything fails with.
    public let error: ResourceError

    /// A resource that fails.
    public init(link: Link, error: ResourceError) {
        self.link = link
        self.error = error
    }

    /// Fails.
    public var length: Result<Int64, ResourceError> { .failure(error) }

    /// Fails.
    public func read(range: Range<Int64>?) -> Result<Data, ResourceError> { .failure(error) }

    /// Fails.
    public func readAsString(encoding: String.Encoding?) -> Result<String, ResourceError> { .failure(error) }

    /// Does nothing.
    public func close() {}
}

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

    /// Lets go of the bytes. Does not wait until they are made.
    public func close() { content.close() }
}

/// A text in memory as a resource, in UTF-8.
public struct StringResource: Resource {
    private let bytes: BytesResource

    /// A resource of this text.
    public init(link: Link, string: String) {
        bytes = BytesResource(link: link, bytes: Data(string.utf8))
    }

    /// A resource of a text that is made when it is first wanted, once.
    ///
    /// `string`: makes it; a `ResourceError` it throws is the resource's, any other becomes `other`.
    public init(link: Link, string: @escaping @Sendable () throws -> String) {
        bytes = BytesResource(link: link) { Data(try string().utf8) }
    }

    /// The link it was made with.
    public var link: Link { bytes.link }

    /// The number of bytes in UTF-8.
    public var length: Result<Int64, ResourceError> { bytes.length }

    /// Bytes of the text in UTF-8.
    public func read(range: Range<Int64>?) -> Result<Data, ResourceError> { bytes.read(range: range) }

    /// The text. Without an encoding given it is UTF-8; the link's type does not count.
    public func readAsString(encoding: String.Encoding?) -> Result<String, ResourceError> {
        bytes.readAsString(encoding: encoding ?? .utf8)
    }

    /// Lets go of the text.
    public func close() { bytes.close() }
}
