import FoundationEssentials

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

    /// The text. Without an encoding given it is UTF-8, whatever the link's type says.
    public func readAsString(encoding: String.Encoding?) -> Result<String, ResourceError> {
        bytes.readAsString(encoding: encoding ?? .utf8)
    }

    /// Lets go of the text.
    public func close() { bytes.close() }
}
