import Archives
import FoundationEssentials
import JSON
import Markup

/// The books that an OPDS document offers: a feed or an entry of version 1, a feed or a publication of version 2.
package struct OPDSCatalog: Sendable {
    /// A file that can be had without paying or signing in.
    package struct Acquisition: Sendable, Equatable {
        /// Where it is, as it is written there.
        package var href: String
        /// Its media type; nil if that is not said.
        package var mediaType: String?
    }

    /// A book, with its files in the order of the document.
    package struct Offer: Sendable, Equatable {
        package var title: String?
        package var acquisitions: [Acquisition]
    }

    /// The books that have such a file.
    package private(set) var offers: [Offer] = []
    /// Where the next page of the feed is, as it is written there; nil on the last page.
    package private(set) var nextPage: String?

    /// Most books that are taken of one document.
    private static let most = 10_000
    /// What a link to the file itself is called. Borrowing, buying, subscribing and samples are not among them.
    private static let relations: Set<String> = [
        "http://opds-spec.org/acquisition", "http://opds-spec.org/acquisition/open-access",
    ]

    /// Reads a document. Safe from any thread.
    ///
    /// - Throws: `damaged` if it is neither XML nor JSON; `tooLarge`.
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
        let root: MarkupElement
        do throws(MarkupError) { root = try result.get().root } catch {
            throw PublicationError(.damaged, "The feed cannot be read: \(error.message)", underlying: error)
        }
        nextPage = root.all("link").first { $0["rel"] == "next" }?["href"]
        let entries = root.name == "entry" ? [root] : root.all("entry")
        for entry in entries.prefix(Self.most) {
            let links = entry.all("link").compactMap { link -> Acquisition? in
                guard let href = link["href"], !href.isEmpty, Self.relations.contains(link["rel"] ?? "")
                else {
                    return nil
                }
                return Acquisition(href: href, mediaType: link["type"])
            }
            offers.append(Offer(title: entry.first("title")?.deepText.collapsingSpace(), acquisitions: links))
        }
    }

    private mutating func readJSON(_ bytes: Data) throws(PublicationError) {
        let root: JSONObject?
        do throws(JSONSyntaxError) {
            root = try JSONValue(parsing: [UInt8](bytes)).object
        } catch {
            throw PublicationError(.damaged, "The feed cannot be read: it is not JSON.", underlying: error)
        }
        guard let root else { return }
        nextPage = ReadiumManifest(root).links("links").first { $0.rels.contains("next") }?.href
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
                    acquisitions: links.map { Acquisition(href: $0.href, mediaType: $0.type) }))
        }
    }
}
