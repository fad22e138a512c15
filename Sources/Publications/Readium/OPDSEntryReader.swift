import Archives
import Formats
import FoundationEssentials
import Markup

/// Reads entries of OPDS 1 catalogues: Atom with Dublin Core. Their covers are separate resources on the web.
enum OPDSEntryReader: PublicationReader {
    static var mediaTypes: [MediaType] { [.opds1Entry] }

    static func read(_ input: PublicationInput) throws(PublicationError) -> PublicationInfo {
        let limits = PublicationArchive.documentLimits
        let bytes = try input.bytes(at: 0, count: limits.bytes)
        let result = bytes.withUnsafeBytes { raw in
            Result { () throws(MarkupError) in try MarkupReader(limits: limits).read(raw) }
        }
        var info = PublicationInfo(format: input.format)
        let document: MarkupDocument
        do throws(MarkupError) {
            document = try result.get()
        } catch {
            throw PublicationError(.damaged, error.message, subject: input.name, underlying: error)
        }
        if let fault = document.fault {
            info.shortcomings.append(
                Shortcoming(.damagedPart, subject: "", message: "It is not well-formed: \(fault.text)."))
        }
        let entry = document.root
        info.metadata = metadata(of: entry)
        info.cover = cover(of: entry)
        info.completeTitle(from: input)
        return info
    }

    private static func metadata(of entry: MarkupElement) -> PublicationMetadata {
        func texts(_ name: String) -> [String] {
            entry.all(name).compactMap { $0.deepText.collapsingSpace() }
        }
        var metadata = PublicationMetadata(title: texts("title").first)
        metadata.authors = people(entry.all("author"))
        metadata.contributors = people(entry.all("contributor"))
        metadata.identifiers = (texts("identifier") + texts("id")).compactMap {
            PublicationIdentifier(text: $0)
        }
        metadata.languages = texts("language")
        metadata.publisher = texts("publisher").first
        // Atom's own dates describe the entry of the catalogue, not the book.
        metadata.published = (texts("issued") + texts("date")).lazy.compactMap { PartialDate(text: $0) }.first
        metadata.modified = texts("updated").lazy.compactMap { PartialDate(text: $0) }.first
        let description = (entry.all("content") + entry.all("summary")).map { $0.deepText.trimmingSpace() }
        metadata.description = description.first { !$0.isEmpty }
        metadata.subjects = entry.all("category").compactMap {
            ($0["label"] ?? $0["term"])?.collapsingSpace()
        }
        metadata.rights = texts("rights").first
        return metadata
    }

    private static func people(_ elements: [MarkupElement]) -> [Contributor] {
        elements.compactMap { $0.first("name")?.deepText.collapsingSpace().map { Contributor($0) } }
    }

    private static func cover(of entry: MarkupElement) -> Cover? {
        let links = entry.all("link")
        let base = links.first { $0["rel"] == "self" }?["href"]
        // The standard relation, its older spellings, and the thumbnail if there is nothing else.
        for rel in [
            "http://opds-spec.org/image", "http://opds-spec.org/cover", "x-stanza-cover-image",
            "http://opds-spec.org/image/thumbnail",
        ] {
            guard let link = links.first(where: { $0["rel"] == rel }), let href = link["href"] else {
                continue
            }
            return RemoteCover.cover(href: href, stated: link["type"], base: base)
        }
        return nil
    }
}
