import Archives
import Formats

/// Reads PDF files: document information, metadata packet, language, number of pages, and the cover of scanned books.
///
/// From a remote source it reads a few blocks: the end of the file and the positions of the objects it needs. It
/// reads the whole file only to repair a damaged cross-reference, and only from local files and memory.
public enum PDFReader: PublicationReader {
    /// `application/pdf`.
    public static let mediaTypes: [MediaType] = [.pdf]

    /// The largest local file, in bytes, that is searched byte by byte if its cross-reference is damaged.
    static let localRecoveryBytes = 128 << 20

    /// Reads the metadata of the file and lists what could not be read.
    ///
    /// - Throws: `unreadable` if the first read of the source fails, `damaged` if the source is not a PDF file.
    public static func read(_ input: PublicationInput) throws(PublicationError) -> PublicationInfo {
        var limits = PDFLimits()
        if input.source.isNear {
            limits.recoveryBytes = localRecoveryBytes
            limits.readBytes = 2 * localRecoveryBytes
        }
        return try read(input, limits: limits)
    }

    /// Like `read(_:)`, with other limits.
    static func read(_ input: PublicationInput, limits: PDFLimits) throws(PublicationError) -> PublicationInfo
    {
        let file: PDFFile
        do {
            file = try PDFFile(try PDFInput(input.source, limit: limits.readBytes), limits: limits)
        } catch {
            throw refusal(error, input)
        }
        var extraction = PDFExtraction(file)
        extraction.run(source: input.source)
        var info = PublicationInfo(
            format: input.format, metadata: extraction.metadata, cover: extraction.cover,
            shortcomings: extraction.shortcomings)
        info.completeTitle(from: input)
        return info
    }

    static func refusal(_ fault: PDFFault, _ input: PublicationInput) -> PublicationError {
        switch fault {
        case .source(let error):
            PublicationError(.unreadable, "Cannot read the file.", subject: input.name, underlying: error)
        case .limit(let message):
            PublicationError(.tooLarge, "Cannot read the file: \(message)", subject: input.name)
        case .malformed(let message), .locked(let message):
            PublicationError(
                .damaged, "It is not a PDF file, or it is damaged: \(message)", subject: input.name)
        }
    }
}
