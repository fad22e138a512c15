/// The text budget of a listing: keeps the texts of the library within what a host takes, so that one huge row costs no
/// other book.
///
/// The figures are the host's, of its boundary to overlays; real libraries stay far below them. `remarks` names
/// what is cut or left out.
struct TextBudget {
    /// Bytes of one text.
    static let text = 1 << 20
    /// Bytes of a description.
    static let description = 16 << 20
    /// Texts in one list.
    static let list = 65_536
    /// Bytes that a host counts for each text in a list, beside its own.
    private static let entry = 16
    /// Bytes that a host counts for each book, beside its texts and lists.
    private static let book = 256

    /// Bytes that may still be taken.
    private var left: Int
    /// Bytes taken so far, as the host counts them or more.
    private(set) var spent = 0
    private(set) var remarks = LibraryRemarks()
    /// What was cut of the last book.
    private(set) var cuts = FieldSet()

    /// - Parameter total: bytes of all texts together; half of what a host takes of one booklist, with its covers.
    init(total: Int = 512 << 20) {
        left = total
    }

    /// Counts a book and the name of its file, which is never cut.
    mutating func takeBook(named name: String) {
        cuts = []
        charge(Self.book + name.utf8.count)
    }

    /// The text, or as much of it as may be taken; nil when that is nothing.
    ///
    /// - Parameters:
    ///   - weight: how often the bytes count; more than once where the host gets the text in small pieces.
    ///   - field: what the text is.
    mutating func cut(
        _ text: String?, limit: Int = text, weight: Int = 1, _ field: MetadataField, of file: String
    ) -> String? {
        guard let text else { return nil }
        let (count, most) = (text.utf8.count, max(0, min(limit, left / weight)))
        guard count > most else {
            charge(count * weight)
            return text
        }
        cuts.insert(field)
        remarks.add("The \(field.phrase) of \(file) was truncated because it has \(count) bytes.")
        // A slice ends at the last whole character before an index inside of one.
        let kept = String(text[..<text.utf8.index(text.startIndex, offsetBy: most)])
        charge(kept.utf8.count * weight)
        return kept.isEmpty ? nil : kept
    }

    /// The text if it may be taken whole, for what means nothing when it is cut.
    mutating func whole(_ text: String?, _ what: String, of file: String) -> String? {
        guard let text else { return nil }
        let count = text.utf8.count
        guard count <= min(Self.text, left) else {
            remarks.add("The \(what) of \(file) was left out because it has \(count) bytes.")
            return nil
        }
        charge(count)
        return text
    }

    /// Those of the names that may be taken, whole and in their order.
    ///
    /// - Parameter most: how many at most.
    mutating func names(_ names: [String], most: Int = list, _ what: String, of file: String) -> [String] {
        var kept: [String] = []
        for name in names where kept.count < most {
            let count = name.utf8.count
            guard count <= Self.text, count + Self.entry <= left else { continue }
            charge(count + Self.entry)
            kept.append(name)
        }
        if kept.count < names.count {
            remarks.add(
                "\(names.count - kept.count) \(what) of \(file) were left out because they are too many "
                    + "or too long."
            )
        }
        return kept
    }

    private mutating func charge(_ bytes: Int) {
        left -= bytes
        spent += bytes
    }
}

/// Remarks for the log: each of the first ones, and of the others how many there are.
struct LibraryRemarks: Equatable {
    private static let most = 100
    private var first: [String] = []
    private var others = 0

    mutating func add(_ remark: String) {
        if first.count < Self.most { first.append(remark) } else { others += 1 }
    }

    /// All that is to be said.
    var texts: [String] {
        others == 0 ? first : first + ["\(others) more problems in the library are not shown."]
    }
}
