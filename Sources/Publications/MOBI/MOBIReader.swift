import Archives
import Formats
import FoundationEssentials

/// Reads MOBI, PRC, AZW and AZW3 files: the records of their first header, and the cover record when it is asked for.
///
/// The text is not touched, so protected books give their metadata too.
public enum MOBIReader: PublicationReader {
    /// `application/x-mobipocket-ebook` and `application/vnd.amazon.ebook`.
    public static let mediaTypes: [MediaType] =
        ["application/x-mobipocket-ebook", "application/vnd.amazon.ebook"].compactMap { MediaType($0) }

    /// Whether a file beginning with these bytes, at least 68 of them, is of this kind.
    public static func looksLikeMOBI(_ head: Data) -> Bool {
        head.count >= 68 && head.dropFirst(60).starts(with: "BOOKMOBI".utf8)
    }

    /// What the file says about itself, and what of it could not be read.
    ///
    /// - Throws: `unreadable` when the source fails, `damaged` when it is not a MOBI file.
    public static func read(_ input: PublicationInput) throws(PublicationError) -> PublicationInfo {
        do throws(MOBIFault) {
            let database = try PalmDatabase(input.source)
            guard ["BOOKMOBI", "TEXtREAd"].contains(database.kind) else {
                throw MOBIFault.malformed("It is a different kind of Palm database.")
            }
            var extraction = MOBIExtraction(database)
            try extraction.run(input)
            return extraction.info
        } catch {
            switch error {
            case .source(let underlying):
                throw PublicationError(
                    .unreadable, "Cannot read it.", subject: input.name, underlying: underlying)
            case .malformed(let message):
                throw PublicationError(
                    .damaged, "It is not a MOBI file, or it is damaged: \(message)", subject: input.name)
            }
        }
    }
}
