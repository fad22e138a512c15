import Markup

/// A document of the Advanced Comic Book Format 1.1, which may accompany the pages of a comic in its archive.
struct ACBFDocument {
    private let book: MarkupElement
    private let publishing: MarkupElement
    private let document: MarkupElement

    init(_ root: MarkupElement) {
        let metadata = root.firstAnywhere("meta-data") ?? root
        let none = MarkupElement("")
        book = metadata.first("book-info") ?? none
        publishing = metadata.first("publish-info") ?? none
        document = metadata.first("document-info") ?? none
    }

    /// The reference to the image of the cover page.
    var coverReference: String? { book.first("coverpage")?.firstAnywhere("image")?["href"] }

    func metadata() -> PublicationMetadata {
        var metadata = PublicationMetadata()
        let titles = book.all("book-title")
        let language = languages.first
        let main = titles.first { $0["lang"] == language } ?? titles.first
        metadata.title = main?.deepText.collapsingSpace()
        for title in titles where title != main {
            if let language = title["lang"], let text = title.deepText.collapsingSpace() {
                metadata.alternateTitles[language] = text
            }
        }
        metadata.languages = languages
        readPeople(into: &metadata)
        let sequences = book.all("sequence").compactMap { element in
            element["title"]?.collapsingSpace().map {
                PublicationSeries($0, position: PublicationSeries.position(element.text))
            }
        }
        metadata.series = sequences.first
        metadata.collections = Array(sequences.dropFirst())
        let annotations = book.all("annotation")
        metadata.description = (annotations.first { $0["lang"] == language } ?? annotations.first)
            .flatMap(paragraphs)
        var seen: Set<String> = []
        let words = book.all("keywords").flatMap { $0.deepText.split(separator: ",") }
        metadata.subjects = (book.all("genre").map(\.deepText) + words.map(String.init))
            .compactMap { $0.collapsingSpace() }.filter { seen.insert($0).inserted }
        metadata.publisher = publishing.first("publisher")?.deepText.collapsingSpace()
        metadata.published = publishing.first("publish-date").flatMap {
            PartialDate(text: $0["value"] ?? $0.deepText)
        }
        metadata.rights = publishing.first("license")?.deepText.collapsingSpace()
        if let number = publishing.first("isbn")?.deepText,
            let identifier = PublicationIdentifier(text: number, scheme: PublicationIdentifier.Scheme.isbn)
        {
            metadata.identifiers.append(identifier)
        }
        if let id = document.first("id")?.deepText, let identifier = PublicationIdentifier(text: id) {
            metadata.identifiers.append(identifier)
        }
        metadata.modified = document.first("creation-date").flatMap {
            PartialDate(text: $0["value"] ?? $0.deepText)
        }
        return metadata
    }

    /// The languages of the text layers; visible layers come first.
    private var languages: [String] {
        let layers = book.first("languages")?.all("text-layer") ?? []
        let shown = layers.filter { $0["show"]?.lowercased() == "true" }
        var seen: Set<String> = []
        return (shown + layers).compactMap { $0["lang"]?.collapsingSpace() }.filter {
            seen.insert($0).inserted
        }
    }

    private func readPeople(into metadata: inout PublicationMetadata) {
        let people = book.all("author").compactMap { author -> Contributor? in
            let parts = ["first-name", "middle-name", "last-name"].compactMap {
                author.first($0)?.deepText.collapsingSpace()
            }
            let name = parts.isEmpty ? author.first("nickname")?.deepText.collapsingSpace() : nil
            guard let name = name ?? (parts.isEmpty ? nil : parts.joined(separator: " ")) else { return nil }
            // ACBF adds the words Writer and Adapter, and writes CoverArtist as one word.
            let role = author["activity"].map { Contributor.Role.code(for: $0) }
            return Contributor(name, roles: [role].compactMap { $0 })
        }
        let isAuthor: (Contributor) -> Bool = {
            $0.roles.isEmpty || $0.roles.contains(Contributor.Role.author)
        }
        metadata.authors = people.filter(isAuthor)
        metadata.contributors = people.filter { !isAuthor($0) }
    }

    private func paragraphs(_ annotation: MarkupElement) -> String? {
        let parts = [annotation.text] + annotation.children.map(\.deepText)
        let text = parts.compactMap { $0.collapsingSpace() }.joined(separator: "\n\n")
        return text.isEmpty ? nil : text
    }
}
