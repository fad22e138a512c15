import Archives
import FoundationEssentials
import Formats

/// The bytes of a publication and what is known about them beforehand.
public struct PublicationInput: Sendable {
    /// The bytes; owned by the caller, who closes it when the cover is no longer wanted either.
    public let source: any ByteSource
    /// The name of the file, without folders, if there is one.
    public let name: String?
    /// The format to read it as.
    public let format: MediaType

    /// Bytes to read as `format`.
    public init(source: any ByteSource, name: String? = nil, format: MediaType) {
        self.source = source
        self.name = name
        self.format = format
    }

    /// The file's name without its extension, for publications that state no title; nil without a name.
    package var nameWithoutExtension: String? {
        guard let name else { return nil }
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name.collapsingSpace() }
        return String(name[..<dot]).collapsingSpace() ?? name
    }

    /// Bytes of the source, with its error as ours.
    package func bytes(at offset: Int64, count: Int) throws(PublicationError) -> Data {
        do {
            return try source.read(at: offset, count: count)
        } catch {
            throw PublicationError(.unreadable, "Cannot read it.", subject: name, underlying: error)
        }
    }

    /// The length of the source, with its error as ours.
    package func length() throws(PublicationError) -> Int64 {
        do {
            return try source.length
        } catch {
            throw PublicationError(.unreadable, "Its length is unknown.", subject: name, underlying: error)
        }
    }
}
