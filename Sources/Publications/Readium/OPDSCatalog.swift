import Archives
import FoundationEssentials
import JSON
import Markup

/// The books in an OPDS document: a feed or an entry of version 1, a feed or a publication of version 2.
package struct OPDSCatalog: Sendable {
    /// A reference as written in a document.
    package struct Link: Sendable, Equatable {
        /// The reference.
        package var href: String
        /// The base addresses that the document states (`xml:base`), outermost first. Each is relative to the one
        /// before.
        package var bases: [String] = []

        package init(_ href: String, bases: [String] = []) { (self.href, self.bases) = (href, bases) }
    }

    /// A file that can be downloaded without paying or signing in.
    package struct Acquisition: Sendable, Equatable {
        /// The location of the file.
        package var link: Link
        /// The media type; nil if it is not stated.
        package var mediaType: String?
    }

    /// A book, with its files in document order.
    package struct Offer: Sendable, Equatable {
        package var title: String?
        package var acquisitions: [Acquisition]
    }

    /// The books that have at least one such file.
    package private(set) var offers: [Offer] = []
    /// The location of the next page of the feed; nil on the last page.
    package private(set) var nextPage: Link?

    /// The largest number of books that are taken from one document.
    private static let most = 10_000
    /// The relations of a link to the file itself. Borrowing, buying, subscribing and samples do not count.
    private static let relations: Set<String> = [
        "http://opds-spec.org/acquisition", "http://opds-spec.org/acquisition/open-access",
    ]

    /// Parses a document. Safe from any thread.
    ///
    /// - Throws: `damaged` if it is neither XML nor JSON, or ends too early; `tooLarge`.
    package init(_ bytes: Data) throws(PublicationError) {
        let limits = PublicationArchive.documentLimits
        guard bytes.count <= limits.bytes else {
            throw PublicationError(.tooLarge, "The feed is larger than \(limits.bytes) bytes.")
        }
        if bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) })
            == UInt8(ascii: "{")
        {
            try readJSON(bytes)
        } else {
            try readXML(bytes, limits)
        }
        offers = offers.filter { !$0.acquisitions.isEmpty }
    }

    private mutating func readXML(_ bytes: Data, _ limits: MarkupLimits) throws(PublicationError) {
        let result = bytes.withUnsafeBytes { raw in
            Result { () throws(MarkupError) in try MarkupReader(limits: limits).read(raw) }
        }
        let document: MarkupDocument
        do throws(MarkupError) { document = try result.get() } catch {
            throw PublicationError(.damaged, "The feed cannot be read: \(error.message)", underlying: error)
        }
        let root = document.root
        guard document.fault == nil || Self.hasEnd(of: root.name, bytes) else {
            throw PublicationError(.damaged, "The feed cannot be read: its end is missing.")
        }
        func link(_ element: MarkupElement, _ bases: [String]) -> Link? {
            guard let href = element["href"], !href.isEmpty else { return nil }
            return Link(href, bases: bases + [element["base"]].compactMap { $0 })
        }
        let bases = [root["base"]].compactMap { $0 }
        nextPage = root.all("link").first { $0["rel"] == "next" }.flatMap { link($0, bases) }
        let entries = root.name == "entry" ? [root] : root.all("entry")
        for entry in entries.prefix(Self.most) {
            let bases = root.name == "entry" ? bases : bases + [entry["base"]].compactMap { $0 }
            let links = entry.all("link").compactMap { element -> Acquisition? in
                guard Self.relations.contains(element["rel"] ?? "") else { return nil }
                return link(element, bases).map { Acquisition(link: $0, mediaType: element["type"]) }
            }
            offers.append(Offer(title: entry.first("title")?.deepText.collapsingSpace(), acquisitions: links))
        }
    }

    /// Whether the last closing tag is that of the root element.
    private static func hasEnd(of root: String, _ bytes: Data) -> Bool {
        guard let start = bytes.lastRange(of: Data("</".utf8))?.upperBound else { return false }
        let tag = bytes[start...].prefix { $0 != UInt8(ascii: ">") && $0 > UInt8(ascii: " ") }
        let name = tag.lastIndex(of: UInt8(ascii: ":")).map { tag[($0 + 1)...] } ?? tag
        return tag.endIndex < bytes.endIndex && name.elementsEqual(root.utf8)
    }

    private mutating func readJSON(_ bytes: Data) throws(PublicationError) {
        let root: JSONObject?
        do throws(JSONSyntaxError) {
            root = try JSONValue(parsing: [UInt8](bytes)).object
        } catch {
            throw PublicationError(.damaged, "The feed cannot be read: it is not JSON.", underlying: error)
        }
        guard let root else { return }
        nextPage = ReadiumManifest(root).links("links").first { $0.rels.contains("next") }.map {
            Link($0.href)
        }
        var publications = root["publications"]?.elements ?? []
        for group in root["groups"]?.elements ?? [] {
            publications += group.object?["publications"]?.elements ?? []
        }
        if root["publications"] == nil, root["groups"] == nil { publications = [.object(root)] }
        for publication in publications.prefix(Self.most) {
            guard let publication = publication.object else { continue }
            let manifest = ReadiumManifest(publication)
            let links = manifest.links("links").filter { !Self.relations.isDisjoint(with: $0.rels) }
            offers.append(
                Offer(
                    title: manifest.metadata["title"]?.string,
                    acquisitions: links.map { Acquisition(link: Link($0.href), mediaType: $0.type) }))
        }
    }
}
