import BibTeX

/// What an entry says, in the form in which entries are compared: spelling, order and layout do not count.
struct EntryContent: Hashable {
    /// The type in lower case.
    let type: String
    /// The fields with a text, by their names in lower case; without links.
    let fields: [String: BibTeXValue]
    /// The paths of linked files, in order. Links without a path do not count: the device's copy has none.
    let paths: [String]
    /// What tells the linked URLs apart, in order.
    let urls: [String]

    /// The content of an entry.
    init(_ block: BibTeXBlock) {
        type = block.type
        var last: [String: BibTeXField] = [:]
        for field in block.fields where field.isReadable {
            let name = block.name(of: field)
            if !Self.isLink(name) { last[name] = field }
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

    /// What makes two links the same: the path, or the whole value if there is no path.
    static func identity(_ link: FileLink) -> String {
        link.normalizedPath ?? "\0" + String(link.value.filter { !$0.isWhitespace })
    }

    /// What makes two linked URLs the same: their text, or how they are written if they are made of macros.
    static func identity(_ url: BibTeXValue) -> String { url.plainText ?? "\0" + url.canonical().written }

    /// Fields in which line ends count.
    static let notes: Set<String> = ["abstract", "annote", "rss-description"]

    /// Whether a field is one of a numbered list of links.
    static func isLink(_ name: String) -> Bool {
        for prefix in ["bdsk-file-", "bdsk-url-"] where name.hasPrefix(prefix) {
            return Int(name.dropFirst(prefix.count)).map { $0 > 0 } ?? false
        }
        return false
    }

    /// Names that tell one work from all others: its linked files, DOI, ISBN and eprint.
    var strongNames: [String] {
        let identifiers = ["doi", "isbn", "eprint"].compactMap { name in
            fields[name]?.plainText.map { text in
                var identifier = Substring(text.lowercased().filter { !$0.isWhitespace && $0 != "-" })
                // Links and labels stand before a DOI, such as `https://doi.org/`.
                if name == "doi", let start = identifier.firstRange(of: "10.") {
                    identifier = identifier[start.lowerBound...]
                }
                return name + ":" + identifier
            }
        }
        return identifiers + paths.map { "path:" + $0 }
    }

    /// Whether two entries agree in nearly all fields, and in enough of them to be one work.
    func resembles(_ other: EntryContent) -> Bool {
        let dates: Set<String> = ["date-added", "date-modified"]
        let names = Set(fields.keys).union(other.fields.keys).subtracting(dates)
        let equal = names.filter { fields[$0] == other.fields[$0] }.count
        return equal >= 3 && equal * 5 >= names.count * 4
    }

    /// Whether two entries of one key are one work, as far as they say: their titles or a strong name agree.
    func isSameWork(_ other: EntryContent) -> Bool {
        if let title = fields["title"], title == other.fields["title"] { return true }
        return !Set(strongNames).isDisjoint(with: other.strongNames)
    }
}

extension BibTeXBlock {
    /// The linked URLs, in order.
    var linkedURLs: [BibTeXValue] { numbered("bdsk-url-").map { value(of: $0.field) } }

    /// Whether two blocks say the same.
    func saysSame(_ other: BibTeXBlock) -> Bool {
        if encoding == other.encoding, body == other.body { return true }
        if isOpaque || other.isOpaque || kind != .entry || other.kind != .entry {
            return bodyText == other.bodyText
        }
        return key == other.key && EntryContent(self) == EntryContent(other)
    }

    /// The text from the `@` on, line ends as LF.
    var bodyText: String {
        encoding.text(body).replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    }
}
