import Foundation
import TestSupport

/// Editions of one book for tests: EPUBs with different content but the same metadata.
enum BookEdition {
    /// Writes an edition, with a sidecar that names title and author.
    ///
    /// - Parameter words: distinguishes it from other editions; at most 65,535 bytes.
    /// - Returns: its path.
    static func write(_ words: String, to folder: URL) throws -> String {
        var bytes = [UInt8](try Data(contentsOf: RealBooks.history("it")))
        let comment = Array(words.utf8)
        // An archive without a comment ends with the length of its comment (ZIP application note, section 4.3.16).
        bytes.replaceSubrange(
            (bytes.count - 2)..., with: [UInt8(comment.count & 0xFF), UInt8(comment.count >> 8)])
        let book = folder.appendingPathComponent(words + ".epub")
        try Data(bytes + comment).write(to: book)
        let sidecar = """
            <package xmlns="http://www.idpf.org/2007/opf" version="2.0">
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Emma</dc:title>
            <dc:creator>Jane Austen</dc:creator></metadata></package>
            """
        try Data(sidecar.utf8).write(to: folder.appendingPathComponent(words + ".opf"))
        return book.path
    }
}
