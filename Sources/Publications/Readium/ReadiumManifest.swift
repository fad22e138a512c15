import FoundationEssentials
import JSON

/// A Readium Web Publication Manifest, or an OPDS 2 publication, as far as metadata and covers go.
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

    /// Nil when the document is not an object.
    init?(_ value: JSONValue) {
        guard let root = value.object else { return nil }
        self.init(root)
    }

    /// The manifest in an object.
    init(_ root: JSONObject) {
        self.root = root
        metadata = root["metadata"]?.object ?? JSONObject()
    }

    /// The address that the manifest says it has.
    var selfReference: String? { links("links").first { $0.rels.contains("self") }?.href }

    /// Links of one of the manifest's lists.
    func links(_ name: String) -> [Link] {
        guard case .array(let values)? = root[name] else { return [] }
        return values.compactMap { Link($0) }
    }

    /// The reading order, under its name of today or the older one.
    var readingOrder: [Link] {
        let items = links("readingOrder")
        return items.isEmpty ? links("spine") : items
    }

    /// The cover: the link of that relation, else OPDS's largest image, else the first page of a comic.
    func cover(isComic: Bool) -> Link? {
        for name in ["links", "resources", "readingOrder", "images"] {
            let covers = links(name).filter { $0.rels.contains("cover") }
            if let cover = covers.max(by: { $0.width < $1.width }) { return cover }
        }
        if let image = links("images").max(by: { $0.width < $1.width }) { return image }
        guard isComic else { return nil }
        return readingOrder.first { ImageType.of(stated: $0.type, path: $0.href) != nil }
    }

    /// A text or an array of texts.
    static func texts(_ value: JSONValue?) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let values): values.compactMap(\.string)
        default: []
        }
    }
}

/// A text that a manifest gives once, or in several languages.
struct LocalizedText {
    /// The text in the publication's language, else without language, else in the first one given.
    let text: String
    /// The others, by language tag.
    let others: [String: String]

    /// Nil when every text is empty.
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
