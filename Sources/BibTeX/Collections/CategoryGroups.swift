/// How a library's fields are typed: a truth value, a number of stars, cite keys, or a text. The app keeps the types in its own
/// settings, so a file does not contain them.
public struct FieldKinds: Sendable, Hashable {
    /// Fields that are true or false.
    public var boolean: Set<String>
    /// Fields that are true, false or neither.
    public var triState: Set<String>
    /// Fields with a number of stars.
    public var rating: Set<String>
    /// Fields with the cite keys of other entries.
    public var citation: Set<String>

    /// Types of the fields with these names, which are compared without case.
    public init(
        boolean: [String] = ["Read"], triState: [String] = [], rating: [String] = ["Rating"],
        citation: [String] = []
    ) {
        self.boolean = Set(boolean.map { $0.lowercased() })
        self.triState = Set(triState.map { $0.lowercased() })
        self.rating = Set(rating.map { $0.lowercased() })
        self.citation = Set(citation.map { $0.lowercased() })
    }

    func hasNoText(_ name: String) -> Bool {
        boolean.contains(name) || triState.contains(name) || rating.contains(name)
    }

    /// Whether an entry without the field has the value of its parent.
    func isInherited(_ name: String) -> Bool { !hasNoText(name) && !citation.contains(name) }

    /// Whether BibDesk reads a text as true.
    public static func isTrue(_ text: String) -> Bool {
        ["1", "y", "yes", "oui"].contains(text.lowercased())
    }
}

/// The groups that BibDesk derives from the values of a field, such as one for each keyword or author.
public struct CategoryGroups: Sendable {
    private let library: BibTeXLibrary
    private let kinds: FieldKinds

    /// Fields whose whole value is one group.
    private static let whole: Set<String> = [
        "type", "bibtex type", "crossref", "journal", "booktitle", "volumetitle", "year", "month",
        "publisher",
        "address",
    ]
    /// Fields that contain names of persons.
    private static let persons: Set<String> = ["author", "editor", "director", "translator"]
    /// Fields that never form groups.
    private static let ungrouped: Set<String> = [
        "date-added", "date-modified", "date", "title", "container", "chapter", "volume", "number", "series",
        "pages", "abstract", "annote", "rss-description", "url", "doi", "citeseerurl", "local-url", "file",
        "remote url", "local file",
    ]

    /// The groups of a library.
    public init(_ library: BibTeXLibrary, kinds: FieldKinds = FieldKinds()) {
        self.library = library
        self.kinds = kinds
    }

    /// Whether a field forms groups.
    public static func groups(by field: String) -> Bool {
        let name = field.lowercased()
        return !ungrouped.contains(name) && !name.hasPrefix("bdsk-")
    }

    /// The values of an entry's field. Each is a group that contains the entry.
    public func values(_ field: String, of entry: Int) -> [String] {
        let name = field.lowercased()
        guard Self.groups(by: name) else { return [] }
        if Self.persons.contains(name) {
            return persons(name, of: entry).map(\.display).filter { !$0.isEmpty }
        }
        if name == "bibtex type" { return [library.block(entry).type] }
        let text = library.text(name, of: entry, inherits: kinds.isInherited(name))
        if Self.whole.contains(name) || kinds.hasNoText(name) {
            let value = TeXText.plain(text)
            return value.isEmpty ? [] : [value]
        }
        if kinds.citation.contains(name) {
            return MultiValue.unique(text.split(separator: ",").map { TextFolding.collapsed($0) })
        }
        return MultiValue.unique(MultiValue.keywords(text).map(TeXText.plain))
    }

    /// The persons of a field, without the word `others`.
    private func persons(_ name: String, of entry: Int) -> [PersonName] {
        PersonName.withoutOthers(library.persons(name, of: entry))
    }

    /// The groups of a field by name, with their entries in order. Names that differ only in case are one group.
    public func groups(_ field: String) -> [(name: String, entries: [Int])] {
        var names: [String: String] = [:]
        var members: [String: [Int]] = [:]
        for entry in library.entries {
            for value in values(field, of: entry) {
                let folded = TextFolding.caseless(value)
                if names[folded] == nil { names[folded] = value }
                if members[folded]?.last != entry { members[folded, default: []].append(entry) }
            }
        }
        return members.keys.sorted().map { (names[$0] ?? $0, members[$0] ?? []) }
    }

    /// Whether an entry is in the group of a value. Names are compared as names of persons.
    func contains(_ entry: Int, _ value: String, by field: String) -> Bool {
        if Self.persons.contains(field.lowercased()) {
            let name = PersonName(parsing: value)
            return persons(field, of: entry).contains { $0.resembles(name) }
        }
        let folded = TextFolding.caseless(value)
        return values(field, of: entry).contains { TextFolding.caseless($0) == folded }
    }

    /// Whether an entry is in the group of a value by any of its fields.
    func contains(_ entry: Int, _ value: String) -> Bool {
        let block = library.block(entry)
        return block.fields.contains { contains(entry, value, by: block.name(of: $0)) }
    }
}
