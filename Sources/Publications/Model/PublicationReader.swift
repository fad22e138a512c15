import Archives
import Formats
import FoundationEssentials
import Platform

/// Reads the metadata of one kind of publication; one type for each kind, listed in `Publication.readers`.
///
/// A reader reads as little as it can, in few and large pieces, since the source may be on a device or behind HTTP. It
/// keeps the source only in the cover it returns. It may be called from any thread.
public protocol PublicationReader: Sendable {
    /// The formats it reads.
    static var mediaTypes: [MediaType] { get }

    /// What the publication says about itself, and what of it could not be read.
    ///
    /// - Throws: only when nothing at all can be read; everything less is a shortcoming.
    static func read(_ input: PublicationInput) throws(PublicationError) -> PublicationInfo
}

/// The bytes of a publication and what is known about them beforehand.
public struct PublicationInput: Sendable {
    /// The bytes; owned by the caller, who closes it once the cover is not wanted any more.
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
        let stem = String(name.nameStem).collapsingSpace()
        return name.nameEnding.isEmpty ? stem : stem ?? name
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
