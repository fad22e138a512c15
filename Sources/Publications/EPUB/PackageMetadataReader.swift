import Markup

/// Converts the metadata of a package document to `PublicationMetadata` (EPUB 3.3, 5.5; Open Packaging Format 2.0.1,
/// 2.2).
final class PackageMetadataReader {
    let package: PackageDocument
    /// Values that could not be used.
    private(set) var shortcomings: [Shortcoming] = []

    init(_ package: PackageDocument) { self.package = package }

    func metadata() -> PublicationMetadata {
        var metadata = PublicationMetadata()
        readTitles(into: &metadata)
        readPeople(into: &metadata)
        readCollections(into: &metadata)
        metadata.identifiers = identifiers()
        metadata.languages = unique(
            package.fields("language").compactMap { $0.deepText.collapsingSpace() }
                .filter { !$0.equals(ignoringCase: "und") })
        metadata.publisher = texts("publisher").first
        readDates(into: &metadata)
        metadata.description = package.fields("description").lazy.compactMap { self.prose($0) }.first
        metadata.subjects = unique(texts("subject"))
        metadata.rights = texts("rights").first
        metadata.rating = rating()
        metadata.pageCount = number("schema:numberofpages").flatMap { Int(exactly: $0) }
        return metadata
    }

    func note(_ field: String, _ value: String) {
        shortcomings.append(
            Shortcoming(.badValue, subject: field, message: "The value '\(value.prefix(80))' is invalid."))
    }

    /// The texts of a Dublin Core element, each with its white space collapsed to one line.
    func texts(_ name: String) -> [String] {
        package.fields(name).compactMap { $0.deepText.collapsingSpace() }
    }

    /// The texts in order, each once.
    func unique(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0).inserted }
    }

    /// The fields in the order of their `display-seq`. Fields without one follow in document order.
    func inDisplayOrder(_ fields: [MarkupElement]) -> [MarkupElement] {
        let places = fields.map { field in
            package.refinements(of: field, "display-seq").lazy.compactMap { PackageDocument.value(of: $0) }
                .compactMap { Int($0) }.first
        }
        guard places.contains(where: { $0 != nil }) else { return fields }
        return fields.indices.sorted { left, right in
            (places[left] ?? .max, left) < (places[right] ?? .max, right)
        }.map { fields[$0] }
    }

    /// The forms of a name in other languages or scripts.
    func alternates(of field: MarkupElement) -> [String: String] {
        var found: [String: String] = [:]
        for refinement in package.refinements(of: field, "alternate-script") {
            guard let language = refinement["lang"]?.trimmingSpace(), !language.isEmpty,
                let text = PackageDocument.value(of: refinement), found[language] == nil
            else { continue }
            found[language] = text
        }
        return found
    }

    /// A text of several paragraphs. Removes the tags of markup that was not escaped.
    private func prose(_ field: MarkupElement) -> String? {
        let text =
            field.children.isEmpty
            ? field.text
            : ([field.text] + field.children.map(\.deepText)).map { $0.trimmingSpace() }
                .filter { !$0.isEmpty }.joined(separator: "\n\n")
        let trimmed = text.trimmingSpace()
        return trimmed.isEmpty ? nil : trimmed
    }

    private func identifiers() -> [PublicationIdentifier] {
        var main: [PublicationIdentifier] = []
        var others: [PublicationIdentifier] = []
        for field in package.fields("identifier") {
            guard let text = field.deepText.collapsingSpace(),
                let identifier = PublicationIdentifier(text: text, scheme: scheme(of: field)),
                !main.contains(identifier), !others.contains(identifier)
            else { continue }
            if main.isEmpty, let id = field["id"], id == package.uniqueIdentifier {
                main.append(identifier)
            } else {
                others.append(identifier)
            }
        }
        return main + others
    }

    private func scheme(of field: MarkupElement) -> String? {
        if let stated = field["scheme"]?.trimmingSpace(), !stated.isEmpty {
            let scheme = stated.lowercased()
            return scheme == "mobi-asin" ? PublicationIdentifier.Scheme.asin : scheme
        }
        guard let type = package.refinements(of: field, "identifier-type").first,
            let value = PackageDocument.value(of: type)
        else { return nil }
        if type["scheme"]?.lowercased().hasSuffix("codelist5") ?? value.allSatisfy(\.isNumber) {
            return PackageMetadataReader.onixSchemes[value]
        }
        return value.lowercased()
    }

    /// The schemes of ONIX code list 5 that have a name here, by number.
    private static let onixSchemes = [
        "02": PublicationIdentifier.Scheme.isbn, "03": "gtin", "05": "ismn",
        "06": PublicationIdentifier.Scheme.doi, "13": "lccn", "14": "gtin",
        "15": PublicationIdentifier.Scheme.isbn, "23": "oclc", "25": "ismn",
        "26": PublicationIdentifier.Scheme.doi,
    ]

    private func number(_ property: String) -> Double? {
        guard let text = package.metas(property).lazy.compactMap({ PackageDocument.value(of: $0) }).first
        else {
            return nil
        }
        guard let value = Double(text), value.isFinite, value >= 0 else {
            note(property, text)
            return nil
        }
        return value
    }

    /// calibre counts in half stars.
    private func rating() -> Double? {
        guard let value = number("calibre:rating") else { return nil }
        guard value <= 10 else {
            note("calibre:rating", String(value))
            return nil
        }
        return value / 2
    }
}

extension PackageMetadataReader {
    /// The main title is the title with that type, or else the first title in display order without a type (EPUB 3.3,
    /// 5.5.3.1.2).
    func readTitles(into metadata: inout PublicationMetadata) {
        let fields = inDisplayOrder(package.fields("title").filter { $0.deepText.collapsingSpace() != nil })
        let types = fields.map { package.refinement(of: $0, "title-type")?.lowercased() }
        let main =
            types.firstIndex(of: "main") ?? types.firstIndex(of: nil)
            ?? types.firstIndex { $0 != "subtitle" } ?? fields.indices.first
        guard let main else { return }
        let field = fields[main]
        metadata.title = field.deepText.collapsingSpace()
        metadata.alternateTitles = alternates(of: field)
        metadata.titleSort =
            package.metas("calibre:title_sort").lazy.compactMap { PackageDocument.value(of: $0) }.first
            ?? package.refinement(of: field, "file-as")
        if let subtitle = types.indices.first(where: { $0 != main && types[$0] == "subtitle" }) {
            metadata.subtitle = fields[subtitle].deepText.collapsingSpace()
        }
    }

    /// Series come from EPUB 3's collections or calibre's `meta` elements. Sets and similar groups become
    /// collections.
    func readCollections(into metadata: inout PublicationMetadata) {
        var series: [PublicationSeries] = []
        var others: [(collection: PublicationSeries, type: String?)] = []
        let collections = package.fields.filter {
            $0.name == "meta" && PackageDocument.property(of: $0) == "belongs-to-collection"
        }
        for field in collections {
            guard let name = PackageDocument.value(of: field) else { continue }
            let position = package.refinement(of: field, "group-position")
            let collection = PublicationSeries(
                name, position: position.flatMap { self.position($0) },
                fileAs: package.refinement(of: field, "file-as"))
            let type = package.refinement(of: field, "collection-type")?.lowercased()
            if type == "series" { series.append(collection) } else { others.append((collection, type)) }
        }
        if let name = calibre("calibre:series") {
            let index = calibre("calibre:series_index").flatMap { position($0) }
            let stated = PublicationSeries(name, position: index)
            if let same = series.firstIndex(where: { $0.name == name }) {
                series[same].position = series[same].position ?? index
            } else {
                series.append(stated)
            }
        }
        // A collection without a type but with a number can only be a series.
        if series.isEmpty,
            let numbered = others.firstIndex(where: { $0.type == nil && $0.collection.position != nil })
        {
            series.append(others.remove(at: numbered).collection)
        }
        metadata.series = series.first
        metadata.collections = series.dropFirst() + others.map(\.collection)
    }

    private func calibre(_ name: String) -> String? {
        package.metas(name).lazy.compactMap { PackageDocument.value(of: $0) }.first
    }

    /// The number at the beginning of a text: `2`, `2.5`, `2,5`. A place in nested groups such as `1.2.3` gives
    /// `1.2`.
    private func position(_ text: String) -> Double? {
        guard let value = PublicationSeries.position(text) else {
            note("series position", text)
            return nil
        }
        return value
    }
}

extension PackageMetadataReader {
    /// Creators are authors unless their roles say otherwise. If no creator has an author's role, all creators are
    /// authors.
    func readPeople(into metadata: inout PublicationMetadata) {
        let creators = people("creator")
        var authors = creators.filter { $0.roles.isEmpty || $0.roles.contains(Contributor.Role.author) }
        var others = creators.filter { !authors.contains($0) }
        if authors.isEmpty {
            authors = others
            others = []
        }
        metadata.authors = authors
        metadata.contributors = others + people("contributor")
    }

    private func people(_ name: String) -> [Contributor] {
        var found: [Contributor] = []
        for field in inDisplayOrder(package.fields(name)) {
            guard let name = field.deepText.collapsingSpace() else { continue }
            let refined = package.refinements(of: field, "role").compactMap { PackageDocument.value(of: $0) }
            let roles = refined.isEmpty ? [field["role"]?.collapsingSpace()].compactMap { $0 } : refined
            let person = Contributor(
                name, fileAs: package.refinement(of: field, "file-as"),
                roles: unique(roles.map { Contributor.Role.code(for: $0) }),
                alternateNames: alternates(of: field))
            if !found.contains(person) { found.append(person) }
        }
        return found
    }

    /// Reads dates by the event that EPUB 2 states, or by the property of EPUB 3's `meta`.
    func readDates(into metadata: inout PublicationMetadata) {
        var byEvent: [String: PartialDate] = [:]
        func enter(_ event: String, _ text: String?) {
            guard byEvent[event] == nil, let text = text?.collapsingSpace() else { return }
            guard let date = PartialDate(text: text) else {
                // Programs write years up to 101 for an unknown date.
                if !PackageMetadataReader.isUnknownDate(text) { note("date", text) }
                return
            }
            byEvent[event] = date
        }
        for field in package.fields("date") {
            enter(field["event"]?.trimmingSpace().lowercased() ?? "", field.deepText)
        }
        for property in ["dcterms:modified", "dcterms:issued", "dcterms:created", "dcterms:date"] {
            for meta in package.metas(property) { enter(property, PackageDocument.value(of: meta)) }
        }
        metadata.published =
            byEvent["publication"] ?? byEvent[""] ?? byEvent["dcterms:issued"] ?? byEvent["dcterms:date"]
            ?? byEvent["original-publication"] ?? byEvent["issued"]
        metadata.modified = byEvent["dcterms:modified"] ?? byEvent["modification"]
    }

    private static func isUnknownDate(_ text: String) -> Bool {
        text.hasPrefix("0") || text.equals(ignoringCase: "unknown")
    }
}
