import Archives
import Formats

/// Reads MOBI, PRC, AZW and AZW3 files. It reads the records of their first header, and the cover record when it is
/// requested.
///
/// It does not read the text of the book, so it can read the metadata of protected books too.
public enum MOBIReader: PublicationReader {
    /// `application/x-mobipocket-ebook` and `application/vnd.amazon.ebook`.
    public static let mediaTypes: [MediaType] =
        ["application/x-mobipocket-ebook", "application/vnd.amazon.ebook"].compactMap { MediaType($0) }

    /// Reads the metadata of the file and lists what could not be read.
    ///
    /// - Throws: `unreadable` if the source fails, `damaged` if it is not a MOBI file.
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
                    .unreadable, "Cannot read the file.", subject: input.name, underlying: underlying)
            case .malformed(let message):
                throw PublicationError(
                    .damaged, "It is not a MOBI file, or it is damaged: \(message)", subject: input.name)
            }
        }
    }
}
