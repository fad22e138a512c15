import Markup

/// A `ComicInfo.xml` document of version 1, 2 or 2.1 (the schema of the Anansi project).
struct ComicInfo {
    private let root: MarkupElement
    /// Values that could not be used.
    private(set) var shortcomings: [Shortcoming] = []

    init(_ root: MarkupElement) { self.root = root }

    /// The index of the page that is marked as the front cover; the first page is 0.
    var coverPage: Int? {
        let page = root.first("Pages")?.all("Page").first {
            $0["Type"]?.split(separator: " ").contains("FrontCover") ?? false
        }
        return page?["Image"].flatMap { Int($0) }
    }

    /// Returns `known` with the values that this document states in place of its own.
    mutating func metadata(over known: PublicationMetadata) -> PublicationMetadata {
        var metadata = known
        readSeries(into: &metadata)
        readPeople(into: &metadata)
        if let title = text("Title") {
            metadata.title = title
        } else if metadata.title == nil, let series = metadata.series {
            // Single issues usually have no title of their own; readers identify them by series and number.
            metadata.title = text("Number").map { "\(series.name) #\($0)" } ?? series.name
        }
        metadata.publisher = text("Publisher") ?? text("Imprint") ?? metadata.publisher
        metadata.published = date() ?? metadata.published
        if let summary = root.first("Summary")?.deepText.trimmingSpace(), !summary.isEmpty {
            metadata.description = summary
        }
        let subjects = list("Genre") + list("Tags")
        if !subjects.isEmpty {
            var seen: Set<String> = []
            metadata.subjects = subjects.filter { seen.insert($0).inserted }
        }
        if let language = text("LanguageISO") { metadata.languages = [language] }
        if let number = text("GTIN"),
            let identifier = PublicationIdentifier(text: number, scheme: nil)
        {
            let scheme = identifier.scheme ?? "gtin"
            metadata.identifiers.append(PublicationIdentifier(scheme: scheme, value: identifier.value))
        }
        if let address = text("Web")?.split(separator: " ").first {
            metadata.identifiers.append(
                PublicationIdentifier(scheme: PublicationIdentifier.Scheme.uri, value: String(address)))
        }
        if let rating = number("CommunityRating", 0...5) { metadata.rating = rating }
        if let pages = number("PageCount", 1...1_000_000) { metadata.pageCount = Int(pages) }
        return metadata
    }

    private mutating func readSeries(into metadata: inout PublicationMetadata) {
        if let name = text("Series") {
            let number = text("Number")
            let position = number.flatMap { PublicationSeries.position($0) }
            if let number, position == nil { note("Number", number) }
            metadata.series = PublicationSeries(name, position: position)
        }
        if let name = text("AlternateSeries") {
            metadata.collections.append(
                PublicationSeries(
                    name, position: text("AlternateNumber").flatMap { PublicationSeries.position($0) }))
        }
        // Story arcs and their numbers are parallel lists.
        let numbers = list("StoryArcNumber")
        for (index, arc) in list("StoryArc").enumerated() {
            let number = numbers.indices.contains(index) ? numbers[index] : ""
            metadata.collections.append(
                PublicationSeries(arc, position: PublicationSeries.position(number)))
        }
        metadata.collections += list("SeriesGroup").map { PublicationSeries($0) }
    }

    private static let roles: [(element: String, role: String)] = [
        ("Penciller", Contributor.Role.penciller), ("Inker", Contributor.Role.inker),
        ("Colorist", Contributor.Role.colorist), ("Letterer", Contributor.Role.letterer),
        ("CoverArtist", Contributor.Role.coverArtist), ("Editor", Contributor.Role.editor),
        ("Translator", Contributor.Role.translator),
    ]

    /// Writers become the authors. If the comic names no writer, the artists do.
    private func readPeople(into metadata: inout PublicationMetadata) {
        var people: [Contributor] = []
        func enter(_ names: [String], _ role: String) {
            for name in names {
                if let index = people.firstIndex(where: { $0.name == name }) {
                    people[index].roles.append(role)
                } else {
                    people.append(Contributor(name, roles: [role]))
                }
            }
        }
        enter(list("Writer"), Contributor.Role.author)
        for (element, role) in ComicInfo.roles { enter(list(element), role) }
        guard !people.isEmpty else { return }
        let main = [Contributor.Role.author, Contributor.Role.penciller].first { role in
            people.contains { $0.roles.contains(role) }
        }
        metadata.authors = people.filter { main.map($0.roles.contains) ?? false }
        metadata.contributors = people.filter { !(main.map($0.roles.contains) ?? false) }
    }

    private mutating func date() -> PartialDate? {
        guard let year = number("Year", 1...9999) else { return nil }
        let month = number("Month", 1...12).map { Int($0) }
        let day = month == nil ? nil : number("Day", 1...31).map { Int($0) }
        return PartialDate(year: Int(year), month: month, day: day)
            ?? PartialDate(year: Int(year), month: month)
    }

    private mutating func number(_ name: String, _ range: ClosedRange<Double>) -> Double? {
        // The schema's default of -1 means unknown.
        guard let text = text(name), text != "-1" else { return nil }
        guard let value = Double(text), range.contains(value) else {
            note(name, text)
            return nil
        }
        return value
    }

    private mutating func note(_ name: String, _ value: String) {
        shortcomings.append(
            Shortcoming(.badValue, subject: name, message: "The value '\(value.prefix(80))' is invalid."))
    }

    private func text(_ name: String) -> String? { root.first(name)?.deepText.collapsingSpace() }

    private func list(_ name: String) -> [String] {
        (text(name) ?? "").split(separator: ",").compactMap { String($0).collapsingSpace() }
    }
}
