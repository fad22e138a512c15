import Publications

/// What only a file tells about a book, as text beside what a reader app also knows.
enum PublicationDocument {
    /// Names and values of the fields, nil for what is not known.
    static func fields(_ info: PublicationInfo) -> [(String, String?)] {
        let metadata = info.metadata
        let contributors = metadata.contributors.map { person in
            person.roles.isEmpty ? person.name : "\(person.name) (\(person.roles.joined(separator: ", ")))"
        }
        let identifiers = metadata.identifiers.map { identifier in
            identifier.scheme.map { "\($0):\(identifier.value)" } ?? identifier.value
        }
        return [
            ("Subtitle", metadata.subtitle), ("Languages", joined(metadata.languages)),
            ("Contributors", joined(contributors)), ("Identifiers", joined(identifiers)),
            ("Rights", metadata.rights), ("Pages", metadata.pageCount.map { "\($0)" }),
        ]
    }

    private static func joined(_ texts: [String]) -> String? {
        texts.isEmpty ? nil : texts.joined(separator: ", ")
    }
}
