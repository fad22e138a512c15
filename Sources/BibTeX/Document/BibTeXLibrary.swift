/// The content of a document, resolved: macros are expanded, values are inherited from parents, and links and names are
/// parsed.
public struct BibTeXLibrary: Sendable {
    /// The document.
    public let document: BibTeXDocument
    /// Its macros, which override the shared ones.
    public let macros: BibTeXMacros
    /// The block indexes of the entries with a key, in order, including entries whose key occurs several times.
    public let entries: [Int]
    /// The entries for each key in lower case.
    private let places: [String: [Int]]

    /// Resolves a document.
    public init(_ document: BibTeXDocument, sharedMacros: [String: String] = [:]) {
        self.document = document
        macros = document.macros(shared: sharedMacros)
        var entries: [Int] = []
        var places: [String: [Int]] = [:]
        for (index, block) in document.blocks.enumerated() {
            guard let key = block.key else { continue }
            entries.append(index)
            places[key.lowercased(), default: []].append(index)
        }
        self.entries = entries
        self.places = places
    }

    /// The entries with a key, in order; keys are compared without case.
    public func entries(_ key: String) -> [Int] { places[key.lowercased()] ?? [] }

    /// The block of an entry.
    public func block(_ entry: Int) -> BibTeXBlock { document.blocks[entry] }

    /// The entry that `crossref` names; nil if there is none or it is the entry itself.
    public func parent(_ entry: Int) -> Int? {
        guard let value = block(entry).value("crossref") else { return nil }
        return entries(TextFolding.trimmed(macros.text(value))).first.flatMap { $0 == entry ? nil : $0 }
    }

    /// Fields that an entry does not inherit from its parent.
    private static let ownFields: Set<String> = [
        "crossref", "abstract", "annote", "rss-description", "date-added", "date-modified", "read", "rating",
        "file", "local-url",
    ]

    /// The text of a field, with macros expanded and letters decoded; empty if it is missing. An empty field takes
    /// the text of the parent's field, one level up.
    public func text(_ name: String, of entry: Int, inherits: Bool = true) -> String {
        TeXText.decoded(written(name.lowercased(), of: entry, inherits: inherits))
    }

    /// The address or identifier in a field such as `url`, `doi` or `isbn`, in which dashes and tildes are literal;
    /// empty if it is missing.
    public func address(_ name: String, of entry: Int) -> String {
        let text = written(name.lowercased(), of: entry, inherits: true)
        return name.lowercased() == "doi" ? VerbatimField.doi(text) : VerbatimField.address(text)
    }

    /// Whether a field has an address or a path, which `address` reads.
    public static func isAddress(_ name: String) -> Bool { VerbatimField.isVerbatim(name) }

    /// The text of a field as it is written, with macros expanded.
    ///
    /// - Parameter name: its name in lower case.
    private func written(_ name: String, of entry: Int, inherits: Bool) -> String {
        if let value = block(entry).value(name) {
            let text = macros.text(value)
            if !text.allSatisfy(\.isWhitespace) { return text }
        }
        guard inherits, !Self.ownFields.contains(name), !name.hasPrefix("bdsk-"), let parent = parent(entry)
        else { return "" }
        return written(name, of: parent, inherits: false)
    }

    /// The text of a field as a person reads it.
    public func plain(_ name: String, of entry: Int) -> String { TeXText.plain(text(name, of: entry)) }

    /// The persons of a field such as `author`.
    public func persons(_ name: String, of entry: Int) -> [PersonName] {
        PersonName.list(text(name, of: entry))
    }

    /// The title, with the chapter or pages for a part of a book; the key if there is no title.
    public func title(of entry: Int) -> String {
        let title = plain("title", of: entry)
        guard !title.isEmpty else { return block(entry).key ?? "" }
        guard block(entry).type == "inbook" else { return title }
        let chapter = plain("chapter", of: entry)
        if !chapter.isEmpty { return "\(title) (chapter \(chapter))" }
        let pages = plain("pages", of: entry)
        return pages.isEmpty ? title : "\(title) (pp \(pages))"
    }

    /// When the work was published: from the year of the entry, or else its `date`, or else those of its parent. Nil
    /// if none of them has a date.
    public func publicationDate(of entry: Int) -> BibTeXDate? {
        let month = text("month", of: entry)
        return BibTeXDate(
            year: text("year", of: entry, inherits: false), month: month,
            date: text("date", of: entry, inherits: false))
            ?? BibTeXDate(year: text("year", of: entry), month: month, date: text("date", of: entry))
    }

    /// A time that BibDesk recorded: `date-added` or `date-modified`.
    public func moment(_ name: String, of entry: Int) -> BibTeXMoment? {
        BibTeXMoment(text(name, of: entry, inherits: false))
    }

    /// The journal, book or series that contains the work, depending on its type; empty if there is none.
    public func container(of entry: Int) -> String {
        switch block(entry).type {
        case "article": plain("journal", of: entry)
        case "incollection", "inproceedings", "conference": plain("booktitle", of: entry)
        case "inbook": plain("title", of: entry)
        case "commented": plain("volumetitle", of: entry)
        case "book": plain("series", of: entry)
        default: ""
        }
    }

    /// The keywords, split as BibDesk does. If several differ only in case, the first one is used.
    public func keywords(of entry: Int) -> [String] {
        MultiValue.unique(MultiValue.keywords(text("keywords", of: entry)).map(TeXText.plain))
    }

    /// The URLs that the entry links to, in order.
    public func linkedURLs(of entry: Int) -> [String] {
        block(entry).numbered("bdsk-url-").map { macros.text(block(entry).value(of: $0.field)) }
    }
}

/// Splits fields that hold several values.
public enum MultiValue {
    /// Keywords, separated by commas, colons and semicolons if there are any, and otherwise by the word `and`.
    ///
    /// - Parameters:
    ///   - text: the value of the field.
    ///   - marks: the characters that separate keywords.
    public static func keywords(_ text: String, between marks: String = ",:;") -> [String] {
        let parts: [String]
        if text.contains(where: { marks.contains($0) }) {
            parts = text.split { marks.contains($0) }.map(String.init)
        } else {
            var words: [[Substring]] = [[]]
            for word in text.split(whereSeparator: \.isWhitespace) {
                if word.lowercased() == "and" {
                    words.append([])
                } else {
                    words[words.count - 1].append(word)
                }
            }
            parts = words.map { $0.joined(separator: " ") }
        }
        return parts.map { TextFolding.collapsed($0) }.filter { !$0.isEmpty }
    }

    /// The values that are not empty, the first of those that differ only in case.
    static func unique(_ values: [String]) -> [String] {
        var seen: Set<String> = []
        return values.filter { !$0.isEmpty && seen.insert(TextFolding.caseless($0)).inserted }
    }
}

extension BibTeXBlock {
    /// The fields with a numbered name, such as `bdsk-url-2`, sorted by number; the last of several with the same
    /// name.
    package func numbered(_ prefix: String) -> [(number: Int, name: String, field: BibTeXField)] {
        var found: [Int: (name: String, field: BibTeXField)] = [:]
        for field in fields where field.isReadable && field.name.count > prefix.utf8.count {
            let name = self.name(of: field)
            guard name.hasPrefix(prefix), let number = Int(name.dropFirst(prefix.count)), number > 0,
                found[number] == nil || found[number]?.name == name
            else { continue }
            found[number] = (name, field)
        }
        return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value.name, $0.value.field) }
    }

    /// The fields `bdsk-file-N`, sorted by number.
    var linkedFileFields: [(number: Int, name: String, field: BibTeXField)] { numbered("bdsk-file-") }

    /// All linked files, in order. BibDesk itself stops at the first missing number.
    public var linkedFiles: [FileLink] {
        linkedFileFields.map { value(of: $0.field) }.filter {
            $0.plainText?.allSatisfy(\.isWhitespace) != true
        }
        .map { FileLink($0) }
    }

    /// Whether the fields `bdsk-file-N` are numbered from 1 without a gap and none is empty, as BibDesk reads them.
    var hasTidyLinks: Bool {
        let fields = linkedFileFields
        return fields.count == linkedFiles.count && fields.map(\.number).elementsEqual(1..<(1 + fields.count))
    }

    /// The normalized paths of the linked files, in order: those of BibDesk's links, or those of other programs if
    /// there are none.
    public var linkedPaths: [String] {
        let own = linkedFiles
        guard own.isEmpty else { return own.compactMap(\.normalizedPath) }
        return foreignLinks.map { LinkedPath.normalized($0.path) }.filter { !$0.isEmpty }
    }

    /// The linked files in the form of other programs: the field `file`, or `local-url` if BibDesk has no linked
    /// files.
    public var foreignLinks: [ForeignLink] {
        if let file = value("file")?.plainText, !file.allSatisfy(\.isWhitespace) {
            return ForeignLink.list(TextFolding.joiningLines(file))
        }
        guard linkedFiles.isEmpty, let local = value("local-url")?.plainText else { return [] }
        return ForeignLink.localURL(TextFolding.joiningLines(local)).map { [$0] } ?? []
    }
}
