import Markup

extension PackageMetadataReader {
    /// Creators are authors unless their roles say otherwise; if all roles do, all creators are.
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

    /// Dates by the event that EPUB 2 states, or by the property of EPUB 3's `meta`.
    func readDates(into metadata: inout PublicationMetadata) {
        var byEvent: [String: PartialDate] = [:]
        func enter(_ event: String, _ text: String?) {
            guard byEvent[event] == nil, let text = text?.collapsingSpace() else { return }
            guard let date = PartialDate(text: text) else {
                // Programs write a year up to 101 to say that the date is not known.
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
