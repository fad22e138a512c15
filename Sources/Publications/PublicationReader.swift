import Archives
import Formats

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
