/// The metadata that the header states about the book.
extension MOBIHeader {
    private typealias Kind = EXTHHeader.Kind

    /// The metadata from the EXTH records and the full name.
    var metadata: PublicationMetadata {
        var metadata = PublicationMetadata()
        metadata.title =
            first(Kind.title)?.collapsingSpace()
            ?? fullName.flatMap(text)?.withoutReferences.collapsingSpace()
        metadata.authors = authors
        metadata.publisher = first(Kind.publisher)
        // A description may be HTML, where character references are correct, so they are kept.
        metadata.description = extra?.all(Kind.description).lazy.compactMap(text).first
        metadata.subjects = subjects
        metadata.published = texts(Kind.published).lazy.compactMap { PartialDate(text: $0) }.first
        metadata.modified = texts(Kind.modified).lazy.compactMap { PartialDate(text: $0) }.first
        metadata.contributors = texts(Kind.contributor).map { Contributor($0, roles: [role(of: $0)]) }
        metadata.rights = first(Kind.rights)
        metadata.identifiers = identifiers
        metadata.languages = languages
        return metadata
    }

    private func texts(_ kind: Int) -> [String] {
        (extra?.all(kind) ?? []).compactMap { text($0)?.withoutReferences }
    }

    private func first(_ kind: Int) -> String? { texts(kind).first }

    /// The authors. Each has a record of its own, but old writers put several into one record.
    private var authors: [Contributor] {
        var authors: [Contributor] = []
        for name in texts(Kind.author).flatMap(NameLists.people)
        where !authors.contains(where: { $0.name == name }) {
            authors.append(Contributor(name, roles: [Contributor.Role.author]))
        }
        return authors
    }

    private var subjects: [String] {
        var subjects: [String] = []
        for text in texts(Kind.subject) {
            for part in text.split(separator: ";") {
                guard let subject = String(part).collapsingSpace(), !subjects.contains(subject) else {
                    continue
                }
                subjects.append(subject)
            }
        }
        return subjects
    }

    /// calibre lists itself as a contributor because it produced the file.
    private func role(of name: String) -> String {
        name.hasPrefix("calibre") ? Contributor.Role.bookProducer : Contributor.Role.contributor
    }

    private var identifiers: [PublicationIdentifier] {
        let kinds = [
            (Kind.source, nil), (Kind.isbn, PublicationIdentifier.Scheme.isbn),
            (Kind.asin, PublicationIdentifier.Scheme.asin),
            (Kind.secondASIN, PublicationIdentifier.Scheme.asin),
        ]
        var identifiers: [PublicationIdentifier] = []
        for (kind, scheme) in kinds {
            for text in texts(kind) {
                // Books that are not from Amazon have a UUID in place of the ASIN. The source may be any text.
                let isUUID = PublicationIdentifier(text: text)?.scheme == PublicationIdentifier.Scheme.uuid
                guard let identifier = PublicationIdentifier(text: text, scheme: isUUID ? nil : scheme),
                    identifier.scheme != nil, !identifiers.contains(identifier)
                else { continue }
                identifiers.append(identifier)
            }
        }
        return identifiers
    }

    private var languages: [String] {
        let stated = texts(Kind.language).filter { !$0.isEmpty && $0.lowercased() != "und" }
        return stated.isEmpty ? locale.flatMap(WindowsLanguage.tag).map { [$0] } ?? [] : stated
    }
}
