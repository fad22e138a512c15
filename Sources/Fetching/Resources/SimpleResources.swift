import FoundationEssentials

/// A resource that fails with the same error for every operation. `close()` does nothing.
///
/// ```swift
/// let images = ProxyFetcher { link in
///     guard link.href.hasSuffix(".jpg") else { return FailureResource(link: link, error: .notFound()) }
///     return FileFetcher(paths: ["/": "/book"]).get(link)
/// }
/// print(images.get(href: "/a.txt").length)
/// ```
public struct FailureResource: Resource {
    /// The requested link.
    public let link: Link
    /// The error of every operation.
    public let error: ResourceError

    /// Creates a resource that fails.
    public init(link: Link, error: ResourceError) {
        self.link = link
        self.error = error
    }

    /// Always fails.
    public var length: Result<Int64, ResourceError> { .failure(error) }

    /// Always fails.
    public func read(range: Range<Int64>?) -> Result<Data, ResourceError> { .failure(error) }

    /// Always fails.
    public func readAsString(encoding: String.Encoding?) -> Result<String, ResourceError> { .failure(error) }

    /// Does nothing.
    public func close() {}
}

/// A resource of bytes in memory.
///
/// ```swift
/// let cover = BytesResource(link: Link(href: "/cover.jpg", type: "image/jpeg")) {
///     try Data(contentsOf: URL(fileURLWithPath: "/books/emma.jpg"))
/// }
/// print(try cover.length.get())  // reads the file
/// cover.close()
/// ```
public final class BytesResource: Resource {
    /// The link given at creation.
    public let link: Link
    private let content: WholeContent

    /// Creates a resource of these bytes.
    public init(link: Link, bytes: Data) {
        self.link = link
        content = WholeContent(bytes)
    }

    /// Creates a resource of bytes that are produced once, on first use.
    ///
    /// `bytes`: produces the bytes. If it throws a `ResourceError`, the resource fails with it; any other error
    /// becomes `other`. Temporary failures are not kept.
    public init(link: Link, bytes: @escaping @Sendable () throws -> Data) {
        self.link = link
        content = WholeContent(keepsFailures: true) {
            Result(catching: bytes).mapError { $0 as? ResourceError ?? .other($0) }
        }
    }

    /// The number of bytes.
    public var length: Result<Int64, ResourceError> { content.load().map { Int64($0.count) } }

    /// Reads a copy of the requested bytes.
    public func read(range: Range<Int64>?) -> Result<Data, ResourceError> {
        content.load().map { $0.bytes(in: range) }
    }

    /// Releases the bytes. Does not wait while they are being produced.
    public func close() { content.close() }
}

/// A resource of a text in memory, in UTF-8.
///
/// ```swift
/// let style = StringResource(link: Link(href: "/style.css", type: "text/css"), string: "p { margin: 0 }")
/// print(try style.length.get(), try style.readAsString().get())
/// ```
public struct StringResource: Resource {
    private let bytes: BytesResource

    /// Creates a resource of this text.
    public init(link: Link, string: String) {
        bytes = BytesResource(link: link, bytes: Data(string.utf8))
    }

    /// Creates a resource of a text that is produced once, on first use.
    ///
    /// `string`: produces the text. If it throws a `ResourceError`, the resource fails with it; any other error
    /// becomes `other`.
    public init(link: Link, string: @escaping @Sendable () throws -> String) {
        bytes = BytesResource(link: link) { Data(try string().utf8) }
    }

    /// The link given at creation.
    public var link: Link { bytes.link }

    /// The number of bytes in UTF-8.
    public var length: Result<Int64, ResourceError> { bytes.length }

    /// Reads bytes of the text in UTF-8.
    public func read(range: Range<Int64>?) -> Result<Data, ResourceError> { bytes.read(range: range) }

    /// Returns the text. If no encoding is given, it is UTF-8; the link's type is ignored.
    public func readAsString(encoding: String.Encoding?) -> Result<String, ResourceError> {
        bytes.readAsString(encoding: encoding ?? .utf8)
    }

    /// Releases the text.
    public func close() { bytes.close() }
}
