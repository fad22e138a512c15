import Archives
import Formats
import JSON

/// Reads publications in the Lightweight Packaging Format of W3C: a ZIP archive with the manifest `publication.json`.
enum LPFReader: PublicationReader {
    static var mediaTypes: [MediaType] { [.lpf] }

    static func read(_ input: PublicationInput) throws(PublicationError) -> PublicationInfo {
        let archive = try PublicationArchive(input)
        var info = PublicationInfo(format: input.format)
        if let manifest = archive.object("publication.json").map(WebPublicationManifest.init) {
            info.metadata = manifest.publicationMetadata(&archive.shortcomings)
            if let link = manifest.cover { info.cover = cover(link, in: archive) }
        }
        info.shortcomings = archive.shortcomings
        info.completeTitle(from: input)
        return info
    }

    private static func cover(_ link: WebPublicationManifest.Link, in archive: PublicationArchive) -> Cover? {
        guard let entry = archive.entry(for: link.url, relativeTo: ""),
            let type = ImageType.of(stated: link.type, path: entry.path)
        else {
            archive.note(.missingCover, link.url, "The cover is not an image in the archive.")
            return nil
        }
        return archive.cover(entry, type: type)
    }
}

/// The parts of a W3C publication manifest (Publication Manifest, sections 2 and 4) that metadata and covers need.
///
/// Members of the wrong type count as absent.
struct WebPublicationManifest {
    /// A resource that the manifest lists.
    struct Link {
        var url: String
        var type: String?
        var rels: [String]

        fileprivate init?(_ value: JSONValue) {
            if let url = value.string {
                self.init(url: url, type: nil, rels: [])
            } else if let object = value.object, let url = object["url"]?.string {
                self.init(
                    url: url, type: object["encodingFormat"]?.string,
                    rels: ReadiumManifest.texts(object["rel"]))
            } else {
                return nil
            }
        }

        private init(url: String, type: String?, rels: [String]) {
            (self.url, self.type, self.rels) = (url, type, rels)
        }
    }

    private let root: JSONObject

    init(_ root: JSONObject) { self.root = root }

    /// The resource whose relation is `cover`.
    var cover: Link? {
        for name in ["resources", "readingOrder", "links"] {
            if let link = Self.items(root[name]).compactMap({ Link($0) }).first(where: {
                $0.rels.contains("cover")
            }) {
                return link
            }
        }
        return nil
    }

    private static let roles: [(member: String, role: String)] = [
        ("translator", Contributor.Role.translator), ("editor", Contributor.Role.editor),
        ("artist", Contributor.Role.artist), ("illustrator", Contributor.Role.illustrator),
        ("letterer", Contributor.Role.letterer), ("penciler", Contributor.Role.penciller),
        ("colorist", Contributor.Role.colorist), ("inker", Contributor.Role.inker),
        ("readBy", Contributor.Role.narrator),
    ]

    /// Converts the metadata to `PublicationMetadata`. Adds values that cannot be used to `shortcomings`.
    func publicationMetadata(_ shortcomings: inout [Shortcoming]) -> PublicationMetadata {
        var result = PublicationMetadata()
        result.languages = ReadiumManifest.texts(root["inLanguage"]).compactMap { $0.collapsingSpace() }
        let titles = texts(root["name"])
        result.title = titles.first?.text
        for title in titles.dropFirst() {
            if let language = title.language, title.text != result.title {
                result.alternateTitles[language] = title.text
            }
        }
        result.authors = people("author", role: nil)
        if result.authors.isEmpty { result.authors = people("creator", role: nil) }
        result.contributors =
            Self.roles.flatMap { people($0.member, role: $0.role) } + people("contributor", role: nil)
        result.publisher = people("publisher", role: nil).first?.name
        result.identifiers = Self.items(root["id"]).compactMap { $0.string }.compactMap {
            PublicationIdentifier(text: $0)
        }
        result.published = date("datePublished", &shortcomings)
        result.modified = date("dateModified", &shortcomings)
        return result
    }

    /// The texts of a value, which may be a string, an object with `value` and `language`, or an array of both. The
    /// text in the publication's language comes first.
    private func texts(_ value: JSONValue?) -> [(text: String, language: String?)] {
        let all = Self.items(value).compactMap { item -> (text: String, language: String?)? in
            let text = item.string ?? item.object?["value"]?.string
            return text?.collapsingSpace().map { ($0, item.object?["language"]?.string) }
        }
        let wanted = ReadiumManifest.texts(root["inLanguage"]).first
        guard let wanted,
            let place = all.firstIndex(where: { $0.language?.equals(ignoringCase: wanted) ?? false }),
            place > 0
        else { return all }
        return [all[place]] + all[..<place] + all[(place + 1)...]
    }

    private func people(_ member: String, role: String?) -> [Contributor] {
        Self.items(root[member]).compactMap { item in
            // An object is either a person with a name or a text with a language.
            texts(item.object?["name"] ?? item).first.map {
                Contributor($0.text, roles: [role].compactMap { $0 })
            }
        }
    }

    private func date(_ member: String, _ shortcomings: inout [Shortcoming]) -> PartialDate? {
        guard let text = root[member]?.string else { return nil }
        let date = PartialDate(text: text)
        if date == nil {
            shortcomings.append(
                Shortcoming(.badValue, subject: member, message: "The value '\(text.prefix(80))' is invalid.")
            )
        }
        return date
    }

    /// The items of an array; a single value counts as an array of one.
    private static func items(_ value: JSONValue?) -> [JSONValue] {
        if case .array(let values)? = value { values } else { value.map { [$0] } ?? [] }
    }
}
