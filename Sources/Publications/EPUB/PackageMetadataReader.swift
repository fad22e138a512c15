import Markup

/// Turns the metadata of a package document into ours (EPUB 3.3, 5.5; Open Packaging Format 2.0.1, 2.2).
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
            Shortcoming(.badValue, subject: field, message: "The value “\(value.prefix(80))” is invalid."))
    }

    /// Texts of a Dublin Core element, each on one line.
    func texts(_ name: String) -> [String] {
        package.fields(name).compactMap { $0.deepText.collapsingSpace() }
    }

    /// The texts without repetitions.
    func unique(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0).inserted }
    }

    /// The fields in the order that `display-seq` gives them; those without one follow, in document order.
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

    /// A text of several paragraphs; markup that was not escaped loses its tags.
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

    /// ONIX code list 5, as far as its numbers have a name here.
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

    /// calibre counts half stars.
    private func rating() -> Double? {
        guard let value = number("calibre:rating") else { return nil }
        guard value <= 10 else {
            note("calibre:rating", String(value))
            return nil
        }
        return value / 2
    }
}
