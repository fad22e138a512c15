import Archives
import Formats
import FoundationEssentials
import Platform

/// A type that reads the metadata of one kind of publication. `Publication.readers` lists all such types.
///
/// A reader reads as little as possible, in few and large pieces, because the source may be on a device or behind
/// HTTP. It keeps the source only in the cover it returns. It may be called from any thread.
public protocol PublicationReader: Sendable {
    /// The formats it reads.
    static var mediaTypes: [MediaType] { get }

    /// Reads the metadata that the publication states about itself, and lists what could not be read.
    ///
    /// - Throws: an error only if nothing at all can be read. Less serious problems become shortcomings.
    static func read(_ input: PublicationInput) throws(PublicationError) -> PublicationInfo
}

/// The bytes of a publication and the facts that are known about them in advance.
public struct PublicationInput: Sendable {
    /// The bytes. The caller owns the source and closes it when the cover is no longer needed.
    public let source: any ByteSource
    /// The name of the file without folders, if it has one.
    public let name: String?
    /// The format to read it as.
    public let format: MediaType

    /// Creates an input of bytes to read as `format`.
    public init(source: any ByteSource, name: String? = nil, format: MediaType) {
        self.source = source
        self.name = name
        self.format = format
    }

    /// The file's name without its extension, used as the title of publications that state none; nil if there is no
    /// name.
    package var nameWithoutExtension: String? {
        guard let name else { return nil }
        let stem = String(name.nameStem).collapsingSpace()
        return name.nameEnding.isEmpty ? stem : stem ?? name
    }

    /// Reads bytes of the source. Throws the source's error as a `PublicationError`.
    package func bytes(at offset: Int64, count: Int) throws(PublicationError) -> Data {
        do {
            return try source.read(at: offset, count: count)
        } catch {
            throw PublicationError(.unreadable, "Cannot read the file.", subject: name, underlying: error)
        }
    }

    /// The length of the source in bytes. Throws the source's error as a `PublicationError`.
    package func length() throws(PublicationError) -> Int64 {
        do {
            return try source.length
        } catch {
            throw PublicationError(.unreadable, "Its length is unknown.", subject: name, underlying: error)
        }
    }
}
