import FoundationEssentials
import Formats

/// The cover of a publication: its location, and its bytes on request.
///
/// A read uses the source that the publication was read from, which must still be open. Safe from any thread.
public struct Cover: Sendable {
    /// The largest number of bytes a cover may have. Reading a larger one throws `tooLarge`.
    public static let largest = 64 << 20

    /// The type of the image, from its name or its first bytes.
    public let mediaType: MediaType
    /// The path of the entry in an archive, a web address, or another name within the publication.
    public let href: String
    /// The size in bytes; nil if it is not known before reading.
    public let size: Int64?
    private let load: @Sendable () throws(PublicationError) -> Data

    /// Creates a cover whose bytes are read by `load`. Each read calls it again, from any thread.
    public init(
        mediaType: MediaType, href: String, size: Int64?,
        load: @escaping @Sendable () throws(PublicationError) -> Data
    ) {
        self.mediaType = mediaType
        self.href = href
        self.size = size
        self.load = load
    }

    /// The bytes of the image, at most `largest`.
    ///
    /// - Throws: `tooLarge`, `encrypted`, `damaged`, or `unreadable` when the source is closed or fails.
    public func read() throws(PublicationError) -> Data {
        guard size ?? 0 <= Int64(Self.largest) else {
            throw PublicationError(
                .tooLarge, "The cover is larger than \(Self.largest) bytes.", subject: href)
        }
        let data = try load()
        guard data.count <= Self.largest else {
            throw PublicationError(
                .tooLarge, "The cover is larger than \(Self.largest) bytes.", subject: href)
        }
        return data
    }
}
