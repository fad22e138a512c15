import FoundationEssentials
import JSON

/// The parts of a Readium Web Publication Manifest, or of an OPDS 2 publication, that metadata and covers need.
///
/// Members of the wrong type count as absent.
struct ReadiumManifest {
    /// A link of the manifest.
    struct Link {
        var href: String
        var type: String?
        var rels: [String]
        var isEncrypted: Bool
        var width: Int64

        fileprivate init?(_ value: JSONValue) {
            guard let object = value.object, let href = object["href"]?.string else { return nil }
            self.href = href
            type = object["type"]?.string
            rels = ReadiumManifest.texts(object["rel"])
            width = object["width"]?.integer ?? 0
            isEncrypted = object["properties"]?.object?["encrypted"]?.object != nil
        }
    }

    let metadata: JSONObject
    private let root: JSONObject

    /// Nil if the document is not an object.
    init?(_ value: JSONValue) {
        guard let root = value.object else { return nil }
        self.init(root)
    }

    /// Reads the manifest from an object.
    init(_ root: JSONObject) {
        self.root = root
        metadata = root["metadata"]?.object ?? JSONObject()
    }

    /// The address that the manifest states as its own.
    var selfReference: String? { links("links").first { $0.rels.contains("self") }?.href }

    /// The links in one of the manifest's lists.
    func links(_ name: String) -> [Link] {
        guard case .array(let values)? = root[name] else { return [] }
        return values.compactMap { Link($0) }
    }

    /// The reading order, under its current or its older name.
    var readingOrder: [Link] {
        let items = links("readingOrder")
        return items.isEmpty ? links("spine") : items
    }

    /// The cover: the link with that relation, or else the largest image of OPDS, or else the first page of a comic.
    func cover(isComic: Bool) -> Link? {
        for name in ["links", "resources", "readingOrder", "images"] {
            let covers = links(name).filter { $0.rels.contains("cover") }
            if let cover = covers.max(by: { $0.width < $1.width }) { return cover }
        }
        if let image = links("images").max(by: { $0.width < $1.width }) { return image }
        guard isComic else { return nil }
        return readingOrder.first { ImageType.of(stated: $0.type, path: $0.href) != nil }
    }

    /// The texts of a value that is a string or an array of strings.
    static func texts(_ value: JSONValue?) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let values): values.compactMap(\.string)
        default: []
        }
    }
}

/// A text that a manifest states once or in several languages.
struct LocalizedText {
    /// The text in the publication's language, or else the text without a language, or else the first one.
    let text: String
    /// The other texts, by language tag.
    let others: [String: String]

    /// Nil if all texts are empty.
    init?(_ value: JSONValue?, _ language: String?) {
        switch value {
        case .string(let text):
            guard let text = text.collapsingSpace() else { return nil }
            self.text = text
            others = [:]
        case .object(let object):
            let texts = object.members.compactMap { member in
                member.value.string?.collapsingSpace().map { (language: member.name, text: $0) }
            }
            func main(_ wanted: String?) -> Int? {
                wanted.flatMap { wanted in texts.firstIndex { $0.language.equals(ignoringCase: wanted) } }
            }
            guard let index = main(language) ?? main("und") ?? texts.indices.first else { return nil }
            text = texts[index].text
            var others: [String: String] = [:]
            for (place, item) in texts.enumerated() where place != index {
                others[item.language] = item.text
            }
            self.others = others
        default:
            return nil
        }
    }
}
