/// The text budget of a listing. It limits the library's texts to what a host accepts, so that one huge row does not
/// crowd out other books.
///
/// The numbers are the limits of the host's boundary with overlays; real libraries stay far below them. `remarks`
/// says what was cut or left out.
struct TextBudget {
    /// The most bytes in a text.
    static let text = 1 << 20
    /// The most bytes in a description.
    static let description = 16 << 20
    /// The most texts in a list.
    static let list = 65_536
    /// The bytes that a host counts for each text in a list, in addition to its own.
    private static let entry = 16
    /// The bytes that a host counts for each book, in addition to its texts and lists.
    private static let book = 256

    /// The bytes that are left.
    private var left: Int
    /// The bytes used so far, as the host counts them or more.
    private(set) var spent = 0
    private(set) var remarks = LibraryRemarks()
    /// The fields that were cut in the last book.
    private(set) var cuts = FieldSet()

    /// - Parameter total: the bytes for all texts together; half of what a host accepts in one booklist with covers.
    init(total: Int = 512 << 20) {
        left = total
    }

    /// Counts a book and its file name, which is never cut.
    mutating func takeBook(named name: String) {
        cuts = []
        charge(Self.book + name.utf8.count)
    }

    /// The text, or as much of it as the budget allows; nil if no text is left.
    ///
    /// - Parameters:
    ///   - weight: the number of times that the bytes are counted; more than one if the host gets the text in small
    ///     pieces.
    ///   - field: the field of the text.
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
        // A slice ends at the last whole character before an index inside a character.
        let kept = String(text[..<text.utf8.index(text.startIndex, offsetBy: most)])
        charge(kept.utf8.count * weight)
        return kept.isEmpty ? nil : kept
    }

    /// The text if the budget allows all of it; nil otherwise, because a part of it would be meaningless.
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

    /// The names that the budget allows, whole and in order.
    ///
    /// - Parameter most: the most names.
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

/// Remarks for the log: the first ones in full, and the number of the others.
struct LibraryRemarks: Equatable {
    private static let most = 100
    private var first: [String] = []
    private var others = 0

    mutating func add(_ remark: String) {
        if first.count < Self.most { first.append(remark) } else { others += 1 }
    }

    /// All remarks.
    var texts: [String] {
        others == 0 ? first : first + ["\(others) more problems in the library are not shown."]
    }
}
