/// Converts a metadata packet to the metadata of a publication.
extension XMPPacket {
    /// The metadata from the properties of Dublin Core, Adobe, PRISM and calibre.
    var metadata: PublicationMetadata {
        var metadata = PublicationMetadata()
        let titles = values(XMPNamespace.dc + "title")
        metadata.title = Self.main(titles)?.collapsingSpace()
        metadata.alternateTitles = alternatives(titles, except: metadata.title)
        metadata.titleSort = text(XMPNamespace.calibre + "title_sort")
        metadata.authors = authors
        metadata.contributors = texts(XMPNamespace.dc + "contributor").map {
            Contributor($0, roles: [Contributor.Role.contributor])
        }
        metadata.description = text(XMPNamespace.dc + "description")
        metadata.subjects = subjects
        metadata.publisher = texts(XMPNamespace.dc + "publisher").first
        metadata.languages = texts(XMPNamespace.dc + "language").filter { $0 != "x-default" }
        metadata.rights = text(XMPNamespace.dc + "rights") ?? text(XMPNamespace.rights + "UsageTerms")
        metadata.published = published
        metadata.modified = date(XMPNamespace.xmp + "ModifyDate")
        metadata.identifiers = identifiers
        metadata.rating = rating
        metadata.pageCount = nil
        addSeries(to: &metadata)
        return metadata
    }

    /// The date when the packet or the file was last changed, as the packet states.
    var changed: PartialDate? {
        date(XMPNamespace.xmp + "MetadataDate") ?? date(XMPNamespace.xmp + "ModifyDate")
    }

    /// The texts in other languages that differ from the main one, by language.
    private func alternatives(_ values: [Value], except main: String?) -> [String: String] {
        var result: [String: String] = [:]
        for value in values {
            guard let language = value.language, language != "x-default", result[language] == nil,
                let text = value.text.withoutControls()?.collapsingSpace(), text != main
            else { continue }
            result[language] = text
        }
        return result
    }

    private var authors: [Contributor] {
        var names = texts(XMPNamespace.dc + "creator").compactMap { $0.collapsingSpace() }
        // Writers that support only one author put all names into one element.
        if names.count == 1, let only = names.first { names = NameLists.people(only) }
        var authors = names.map { Contributor($0, roles: [Contributor.Role.author]) }
        if authors.count == 1 {
            authors[0].fileAs = text(XMPNamespace.calibre + "author_sort")
        }
        return authors
    }

    private var subjects: [String] {
        var subjects: [String] = []
        let keywords = text(XMPNamespace.pdf + "Keywords").map(NameLists.keywords) ?? []
        for subject in texts(XMPNamespace.dc + "subject") + keywords
        where !subjects.contains(subject) && subjects.count < 1_024 {
            subjects.append(subject)
        }
        return subjects
    }

    private func date(_ name: String) -> PartialDate? {
        texts(name).lazy.compactMap { PartialDate(text: $0) }.first
    }

    private var published: PartialDate? {
        for values in [prism("publicationDate"), prism("coverDate")] {
            if let date = Self.main(values).flatMap({ PartialDate(text: $0) }) { return date }
        }
        // `xmp:CreateDate` is not used: it is when the file was made, not when the publication appeared.
        return date(XMPNamespace.dc + "date")
    }

    private var identifiers: [PublicationIdentifier] {
        var found: [PublicationIdentifier?] = []
        for value in values(XMPNamespace.xmp + "Identifier") {
            let scheme = value.fields[XMPNamespace.identifierQualifier + "Scheme"]?.first
            found.append(identifier(value.text, scheme: scheme.flatMap { $0.text.withoutControls() }))
        }
        for text in texts(XMPNamespace.dc + "identifier") { found.append(identifier(text, scheme: nil)) }
        for (name, scheme) in [
            ("isbn", PublicationIdentifier.Scheme.isbn), ("doi", PublicationIdentifier.Scheme.doi),
            ("issn", PublicationIdentifier.Scheme.issn),
        ] {
            for value in prism(name) { found.append(identifier(value.text, scheme: scheme)) }
            for text in texts(XMPNamespace.pdfx + name) { found.append(identifier(text, scheme: scheme)) }
        }
        var identifiers: [PublicationIdentifier] = []
        for case let identifier? in found where !identifiers.contains(identifier) && identifiers.count < 64 {
            identifiers.append(identifier)
        }
        return identifiers
    }

    private func identifier(_ text: String, scheme: String?) -> PublicationIdentifier? {
        text.withoutControls().flatMap { PublicationIdentifier(text: $0, scheme: scheme) }
    }

    /// calibre counts in half stars, all other writers in stars.
    private var rating: Double? {
        if let text = text(XMPNamespace.calibre + "rating"), let value = Double(text),
            (0...10).contains(value)
        {
            return value / 2
        }
        guard let text = text(XMPNamespace.xmp + "Rating"), let value = Double(text), (0...5).contains(value)
        else {
            return nil
        }
        return value
    }

    private func addSeries(to metadata: inout PublicationMetadata) {
        if let series = values(XMPNamespace.calibre + "series").first,
            let name = series.text.withoutControls()
        {
            let index = series.fields[XMPNamespace.calibreSeries + "series_index"].flatMap(Self.main)
            metadata.series = PublicationSeries(name, position: index.flatMap(Double.init))
        } else if let name = Self.main(prism("seriesTitle")) {
            metadata.series = PublicationSeries(
                name, position: Self.main(prism("seriesNumber")).flatMap(Double.init))
        }
        if let name = Self.main(prism("publicationName")) {
            let number = Self.main(prism("number")) ?? Self.main(prism("issueIdentifier"))
            metadata.collections = [PublicationSeries(name, position: number.flatMap(Double.init))]
        }
    }
}
