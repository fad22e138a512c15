import BibTeX

/// The content of an entry in the form in which entries are compared, without spelling, order and layout.
struct EntryContent: Hashable {
    /// The type in lower case.
    let type: String
    /// The fields with text, by name in lower case, except links.
    let fields: [String: BibTeXValue]
    /// The paths of linked files, in order. Links without a path are left out, because the device's copy does not
    /// have them.
    let paths: [String]
    /// The identities of the linked URLs, in order.
    let urls: [String]

    /// The content of an entry.
    ///
    /// - Parameters:
    ///   - block: the entry.
    ///   - names: the fields to read, in addition to links; nil for all fields.
    init(_ block: BibTeXBlock, only names: Set<String>? = nil) {
        type = block.type
        var last: [String: BibTeXField] = [:]
        for field in block.fields where field.isReadable {
            let name = block.name(of: field)
            if names?.contains(name) != false, !Self.isLink(name) { last[name] = field }
        }
        var fields: [String: BibTeXValue] = [:]
        for (name, field) in last {
            let value = block.value(of: field).canonical(keepsLines: Self.notes.contains(name))
            if !value.isEmpty { fields[name] = value }
        }
        self.fields = fields
        paths = block.linkedFiles.compactMap(\.normalizedPath)
        urls = block.linkedURLs.map(Self.identity)
    }

    private init(type: String, fields: [String: BibTeXValue], paths: [String], urls: [String]) {
        (self.type, self.fields, self.paths, self.urls) = (type, fields, paths, urls)
    }

    /// The same content without the dates of changes.
    var withoutDates: EntryContent {
        EntryContent(
            type: type, fields: fields.filter { !Self.dates.contains($0.key) }, paths: paths, urls: urls)
    }

    /// Whether the entry contains only dates of changes.
    var isEmpty: Bool { paths.isEmpty && urls.isEmpty && fields.keys.allSatisfy(Self.dates.contains) }

    /// What identifies a link: its path, or the whole value if it has no path.
    static func identity(_ link: FileLink) -> String {
        link.normalizedPath ?? "\0" + String(link.value.filter { !$0.isWhitespace })
    }

    /// What identifies a linked URL: its text, or the way it is written if it uses macros.
    static func identity(_ url: BibTeXValue) -> String { url.plainText ?? "\0" + url.canonical().written }

    /// Fields in which line ends are significant.
    static let notes: Set<String> = ["abstract", "annote", "rss-description"]

    /// The fields with the dates of changes.
    static let dates: Set<String> = ["date-added", "date-modified"]

    /// Whether a field belongs to a numbered list of links.
    static func isLink(_ name: String) -> Bool {
        for prefix in ["bdsk-file-", "bdsk-url-"] where name.hasPrefix(prefix) {
            return Int(name.dropFirst(prefix.count)).map { $0 > 0 } ?? false
        }
        return false
    }

    /// The fields from which `strongNames` and `peopleAndYear` are derived.
    static let naming: Set<String> = ["doi", "isbn", "eprint", "author", "editor", "year", "date"]

    /// The text of a field, in braces or as a bare number; nil if there is none, or if it contains macros.
    private func text(_ name: String) -> String? {
        guard let value = fields[name] else { return nil }
        if value.pieces.count == 1, case .number(let digits) = value.pieces[0] { return digits }
        return value.plainText
    }

    /// The DOI, ISBN and eprint, in the form in which they are compared.
    private var identifiers: [String: String] {
        var identifiers: [String: String] = [:]
        for name in ["doi", "isbn", "eprint"] {
            guard let text = text(name) else { continue }
            var identifier = Substring(text.lowercased().filter { !$0.isWhitespace && $0 != "-" })
            // A DOI may follow a URL or label, such as `https://doi.org/`.
            if name == "doi", let start = identifier.firstRange(of: "10.") {
                identifier = identifier[start.lowerBound...]
            }
            identifiers[name] = String(identifier)
        }
        return identifiers
    }

    /// Names that identify a work: its linked files, DOI, ISBN and eprint.
    var strongNames: [String] {
        identifiers.map { $0.key + ":" + $0.value } + paths.map { "path:" + $0 }
    }

    /// The type, the authors or editors, and the year of a work; nil without people or a year.
    var peopleAndYear: String? {
        guard let people = (fields["author"] ?? fields["editor"])?.written,
            let year = text("year") ?? text("date").map({ String($0.prefix(4)) })
        else { return nil }
        return [type, people, year].joined(separator: "\0")
    }

    /// Whether two entries agree in nearly all fields, and in enough of them to be the same work.
    func resembles(_ other: EntryContent) -> Bool {
        let names = Set(fields.keys).union(other.fields.keys).subtracting(Self.dates)
        let equal = names.count { !differs($0, from: other) && fields[$0] != nil && other.fields[$0] != nil }
        return equal >= 3 && equal * 5 >= names.count * 4
    }

    /// Whether both entries have a field, with different values.
    func differs(_ name: String, from other: EntryContent) -> Bool {
        guard let value = fields[name], let theirs = other.fields[name], value != theirs else { return false }
        return text(name).map { $0 != other.text(name) } ?? true
    }

    /// Whether any field but the dates of changes differs.
    func differsInAnyField(from other: EntryContent) -> Bool {
        fields.keys.contains { !Self.dates.contains($0) && differs($0, from: other) }
    }

    /// Whether a DOI, ISBN or eprint differs, or the position in a larger work, such as a volume.
    func differsInNumbers(from other: EntryContent) -> Bool {
        let theirs = other.identifiers
        return identifiers.contains { name, value in theirs[name].map { $0 != value } ?? false }
            || ["number", "volume", "chapter", "pages"].contains { differs($0, from: other) }
    }

    /// Whether the edition differs, or when the works appeared.
    func differsInEdition(from other: EntryContent) -> Bool {
        ["edition", "year", "month", "date"].contains { differs($0, from: other) }
    }

    /// Whether the URL differs, or each entry has linked files or URLs that the other lacks.
    func differsInLinks(from other: EntryContent) -> Bool {
        func differ(_ ours: [String], _ theirs: [String]) -> Bool {
            !Set(ours).isSubset(of: theirs) && !Set(theirs).isSubset(of: ours)
        }
        return differs("url", from: other) || differ(paths, other.paths) || differ(urls, other.urls)
    }

    /// The number of fields that two entries have in common, without dates of changes.
    func likeness(_ other: EntryContent) -> Int {
        fields.count { name, value in
            !Self.dates.contains(name) && other.fields[name] == value
        }
    }

    /// Whether a key was given to another work: the title differs, no DOI, ISBN, eprint or paper is common, and the
    /// dates of addition differ. If these dates are missing, at least three fields must exist and none may be common,
    /// except people and year. A wrong answer keeps both versions.
    func isOtherWork(than old: EntryContent) -> Bool {
        guard differs("title", from: old), Set(strongNames).isDisjoint(with: old.strongNames) else {
            return false
        }
        if let date = fields["date-added"], let former = old.fields["date-added"] { return date != former }
        // With so few fields, the user may have corrected all of them.
        func isOther(_ names: (String) -> Bool) -> Bool {
            let (ours, theirs) = (fields.filter { names($0.key) }, old.fields.filter { names($0.key) })
            return min(ours.count, theirs.count) >= 3 && !ours.contains { theirs[$0.key] == $0.value }
        }
        return isOther { !Self.dates.contains($0) }
            || isOther { !Self.dates.contains($0) && !Self.naming.contains($0) }
    }

    /// Whether two entries with the same key seem to be the same work: their titles or a strong name agree.
    func isSameWork(_ other: EntryContent) -> Bool {
        if let title = fields["title"], title == other.fields["title"] { return true }
        return !Set(strongNames).isDisjoint(with: other.strongNames)
    }
}

extension BibTeXBlock {
    /// The linked URLs, in order.
    var linkedURLs: [BibTeXValue] { numbered("bdsk-url-").map { value(of: $0.field) } }

    /// Whether two blocks have the same content.
    func saysSame(_ other: BibTeXBlock) -> Bool {
        if encoding == other.encoding, body == other.body { return true }
        if isOpaque || other.isOpaque || kind != .entry || other.kind != .entry {
            return bodyText == other.bodyText
        }
        return key == other.key && EntryContent(self) == EntryContent(other)
    }

    /// Whether the key was given to a work that differs from the agreed one.
    package func isOtherWork(than old: BibTeXBlock) -> Bool {
        guard !isOpaque, !old.isOpaque, kind == .entry, old.kind == .entry, body != old.body else {
            return false
        }
        return EntryContent(self).isOtherWork(than: EntryContent(old))
    }

    /// The text from the `@` on, with LF line ends.
    var bodyText: String {
        encoding.text(body).replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    }
}
