import Archives
import Formats
import FoundationEssentials
import Markup

/// Reads single HTML and XHTML pages. It reads the title, the language and the `meta` elements at the beginning.
enum HTMLReader: PublicationReader {
    static var mediaTypes: [MediaType] { [.html, .xhtml] }

    static func read(_ input: PublicationInput) throws(PublicationError) -> PublicationInfo {
        let bytes = try input.bytes(at: 0, count: HTMLOutline.mostBytes)
        let charset = input.format.parameters["charset"]
        let outline = bytes.withUnsafeBytes { HTMLOutline($0, encoding: charset) }
        var info = PublicationInfo(format: input.format)
        func meta(_ names: String...) -> String? {
            names.lazy.compactMap { outline.metas[$0]?.collapsingSpace() }.first
        }
        info.metadata.title = outline.title?.collapsingSpace() ?? meta("dc.title", "dcterms.title")
        if let language = outline.language?.collapsingSpace() ?? meta("dc.language", "dcterms.language") {
            info.metadata.languages = [language]
        }
        if let author = meta("author", "dc.creator", "dcterms.creator") {
            info.metadata.authors = [Contributor(author)]
        }
        info.metadata.description = meta("description", "dc.description", "dcterms.description")
        info.metadata.publisher = meta("dc.publisher", "dcterms.publisher", "publisher")
        info.metadata.published = meta("dc.date", "dcterms.date", "dcterms.issued", "date").flatMap {
            PartialDate(text: $0)
        }
        info.metadata.rights = meta("dc.rights", "dcterms.rights", "copyright")
        var seen: Set<String> = []
        info.metadata.subjects = (meta("keywords") ?? "").split(separator: ",").compactMap {
            String($0).collapsingSpace()
        }.filter { seen.insert($0).inserted }
        info.completeTitle(from: input)
        return info
    }
}

/// Reads plain text. It has no metadata, so the title is the file's name.
enum TextReader: PublicationReader {
    static var mediaTypes: [MediaType] { [.text] }

    static func read(_ input: PublicationInput) throws(PublicationError) -> PublicationInfo {
        // Without this access, a file that cannot be opened would count as readable.
        _ = try input.length()
        var info = PublicationInfo(format: input.format)
        info.completeTitle(from: input)
        return info
    }
}
