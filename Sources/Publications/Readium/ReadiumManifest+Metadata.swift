import JSON

extension ReadiumManifest {
    private static let roles: [(member: String, role: String)] = [
        ("translator", Contributor.Role.translator), ("editor", Contributor.Role.editor),
        ("artist", Contributor.Role.artist), ("illustrator", Contributor.Role.illustrator),
        ("letterer", Contributor.Role.letterer), ("penciler", Contributor.Role.penciller),
        ("colorist", Contributor.Role.colorist), ("inker", Contributor.Role.inker),
        ("narrator", Contributor.Role.narrator),
    ]

    /// Converts the metadata to `PublicationMetadata`. Adds values that cannot be used to `shortcomings`.
    func publicationMetadata(_ shortcomings: inout [Shortcoming]) -> PublicationMetadata {
        var result = PublicationMetadata()
        result.languages = Self.texts(metadata["language"]).compactMap { $0.collapsingSpace() }
        let language = result.languages.first
        if let title = LocalizedText(metadata["title"], language) {
            result.title = title.text
            result.alternateTitles = title.others
        }
        result.titleSort = LocalizedText(metadata["sortAs"], language)?.text
        result.subtitle = LocalizedText(metadata["subtitle"], language)?.text
        result.authors = contributors("author", role: nil)
        var people: [Contributor] = []
        for (member, role) in Self.roles {
            for person in contributors(member, role: role) {
                if let known = people.firstIndex(where: { $0.name == person.name }) {
                    people[known].roles += person.roles.filter { !people[known].roles.contains($0) }
                } else {
                    people.append(person)
                }
            }
        }
        for person in contributors("contributor", role: nil) {
            if person.roles.contains(Contributor.Role.author) {
                if !result.authors.contains(where: { $0.name == person.name }) {
                    result.authors.append(person)
                }
            } else {
                people.append(person)
            }
        }
        result.contributors = people
        let groups = metadata["belongsTo"]?.object ?? metadata["belongs_to"]?.object
        let series = collections(groups?["series"])
        result.series = series.first
        result.collections = series.dropFirst() + collections(groups?["collection"])
        for value in [metadata["identifier"], metadata["@id"]] + Self.items(metadata["altIdentifier"]) {
            let text = value?.string ?? value?.object?["value"]?.string
            let scheme = value?.object?["scheme"]?.string
            if let identifier = text.flatMap({ PublicationIdentifier(text: $0, scheme: schemeName(scheme)) }),
                !result.identifiers.contains(identifier)
            {
                result.identifiers.append(identifier)
            }
        }
        let publishers = contributors("publisher", role: nil) + contributors("imprint", role: nil)
        result.publisher = publishers.first?.name
        result.published = date("published", &shortcomings)
        result.modified = date("modified", &shortcomings)
        result.description = metadata["description"]?.string?.trimmingSpace()
        if result.description?.isEmpty == true { result.description = nil }
        var seen: Set<String> = []
        result.subjects = Self.items(metadata["subject"]).compactMap {
            LocalizedText($0?.object?["name"] ?? $0, language)?.text
        }.filter { seen.insert($0).inserted }
        result.rights = LocalizedText(metadata["rights"], language)?.text
        result.pageCount = positive("numberOfPages", &shortcomings).flatMap { Int(exactly: $0) }
        result.duration = positive("duration", &shortcomings)
        return result
    }

    /// The items of an array; a single value counts as an array of one.
    private static func items(_ value: JSONValue?) -> [JSONValue?] {
        if case .array(let values)? = value { values.map { $0 } } else { value.map { [$0] } ?? [] }
    }

    private func contributors(_ member: String, role: String?) -> [Contributor] {
        let language = Self.texts(metadata["language"]).first
        return Self.items(metadata[member]).compactMap { value in
            let object = value?.object
            // An object with a name is a contributor. Any other object is a name in several languages.
            guard let name = LocalizedText(object?["name"] ?? value, language) else { return nil }
            let stated = Self.texts(object?["role"]).map { Contributor.Role.code(for: $0) }
            let roles = [role].compactMap { $0 } + stated.filter { $0 != role }
            return Contributor(
                name.text, fileAs: LocalizedText(object?["sortAs"], language)?.text, roles: roles,
                alternateNames: name.others)
        }
    }

    private func collections(_ value: JSONValue?) -> [PublicationSeries] {
        let language = Self.texts(metadata["language"]).first
        return Self.items(value).compactMap { value in
            guard let name = LocalizedText(value?.object?["name"] ?? value, language) else { return nil }
            return PublicationSeries(
                name.text, position: value?.object?["position"]?.double,
                fileAs: LocalizedText(value?.object?["sortAs"], language)?.text)
        }
    }

    /// The last part of a URI that names a scheme, such as `isbn` of `urn:isbn` or `http://…/isbn`.
    private func schemeName(_ scheme: String?) -> String? {
        scheme?.split { $0 == ":" || $0 == "/" || $0 == "#" }.last.map(String.init)
    }

    private func date(_ member: String, _ shortcomings: inout [Shortcoming]) -> PartialDate? {
        guard let text = metadata[member]?.string else { return nil }
        let date = PartialDate(text: text)
        if date == nil { note(member, text, &shortcomings) }
        return date
    }

    private func positive(_ member: String, _ shortcomings: inout [Shortcoming]) -> Double? {
        guard let value = metadata[member]?.double else { return nil }
        if value <= 0 { note(member, String(value), &shortcomings) }
        return value > 0 ? value : nil
    }

    private func note(_ member: String, _ value: String, _ shortcomings: inout [Shortcoming]) {
        shortcomings.append(
            Shortcoming(.badValue, subject: member, message: "The value '\(value.prefix(80))' is invalid."))
    }
}
