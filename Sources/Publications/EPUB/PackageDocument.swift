import Markup

/// A parsed package document: the fields of its metadata, their refinements, and the location of its parts.
struct PackageDocument {
    /// One item of the manifest.
    struct Item {
        var id: String
        var href: String
        var mediaType: String
        var properties: String

        /// Whether the item is a page.
        var isPage: Bool { mediaType.hasBytes(of: "html") || mediaType.hasBytes(of: "oeb1-document") }

        /// Whether the item has one of the space-separated properties.
        func has(_ property: String) -> Bool {
            properties.utf8.count >= property.utf8.count
                && properties.split(whereSeparator: \.isWhitespace).contains(Substring(property))
        }
    }

    /// The path of the document in the archive. References are relative to it.
    let path: String
    /// The value of `unique-identifier`.
    let uniqueIdentifier: String?
    /// Elements of the metadata in document order, including those in OEB 1.2's `dc-metadata` and `x-metadata`.
    let fields: [MarkupElement]
    /// `meta` elements that refine another element, by the id of that element.
    let refinements: [String: [MarkupElement]]
    let items: [Item]
    /// Ids of the items in reading order.
    let spine: [String]
    let guide: [MarkupElement]

    /// - Parameter root: `package`, or the root of a damaged document.
    init(_ root: MarkupElement, path: String) {
        self.path = path
        let package = root.firstAnywhere("package") ?? root
        uniqueIdentifier = package["unique-identifier"]
        func section(_ name: String) -> MarkupElement? {
            package.first(name) ?? package.children.first { $0.name.equals(ignoringCase: name) }
                ?? package.firstAnywhere(name)
        }
        // A document without a metadata element may still have the fields in its package element.
        let metadata = section("metadata") ?? package
        var fields: [MarkupElement] = []
        var refinements: [String: [MarkupElement]] = [:]
        for child in metadata.children {
            let isGroup = child.name == "dc-metadata" || child.name == "x-metadata"
            for field in isGroup ? child.children : [child] {
                fields.append(field)
                if let target = field["refines"], let id = PackageDocument.id(in: target) {
                    refinements[id, default: []].append(field)
                }
            }
        }
        self.fields = fields
        self.refinements = refinements
        items = (section("manifest")?.children ?? []).compactMap { item in
            guard item.name == "item", let href = item["href"] else { return nil }
            return Item(
                id: item["id"] ?? "", href: href, mediaType: item["media-type"]?.lowercased() ?? "",
                properties: item["properties"] ?? "")
        }
        spine = (section("spine")?.children ?? []).compactMap { $0.name == "itemref" ? $0["idref"] : nil }
        guide = section("guide")?.all("reference") ?? []
    }

    /// The item with an id.
    func item(id: String) -> Item? { items.first { $0.id == id } }

    /// The fields of a Dublin Core element. OEB 1.2 capitalizes the element names.
    func fields(_ name: String) -> [MarkupElement] {
        fields.filter { $0.name == name || ($0.name != "meta" && $0.name.equals(ignoringCase: name)) }
    }

    /// The values that `meta` elements without `refines` give for a property or name, in document order.
    func metas(_ name: String) -> [MarkupElement] {
        fields.filter {
            $0.name == "meta" && $0["refines"] == nil && PackageDocument.property(of: $0) == name
        }
    }

    /// The elements that refine a field with a property.
    func refinements(of field: MarkupElement, _ property: String) -> [MarkupElement] {
        guard let id = field["id"], let all = refinements[id.trimmingSpace()] else { return [] }
        return all.filter { PackageDocument.property(of: $0) == property }
    }

    /// The value of the first refinement that has one, or else of the equivalent EPUB 2 attribute.
    func refinement(of field: MarkupElement, _ property: String) -> String? {
        refinements(of: field, property).lazy.compactMap { PackageDocument.value(of: $0) }.first
            ?? field[property]?.collapsingSpace()
    }

    /// The property of a `meta` in lower case. Removes the prefix that some books add although the default vocabulary
    /// needs none.
    static func property(of meta: MarkupElement) -> String {
        let name = (meta["property"] ?? meta["name"] ?? "").trimmingSpace().lowercased()
        return name.hasPrefix("opf:") ? String(name.dropFirst(4)) : name
    }

    /// The value of a `meta`: its text in EPUB 3, its `content` attribute in EPUB 2.
    static func value(of meta: MarkupElement) -> String? {
        meta.deepText.collapsingSpace() ?? meta["content"]?.collapsingSpace()
    }

    /// The id that a `refines` attribute means: `#id`, and also the incorrect forms `id` and `content.opf#id`.
    private static func id(in reference: String) -> String? {
        let trimmed = reference.trimmingSpace()
        let id = trimmed.lastIndex(of: "#").map { String(trimmed[trimmed.index(after: $0)...]) } ?? trimmed
        return id.isEmpty ? nil : id
    }
}
