// Writes and reads the `manifest` of books in commands.

extension CommandFileWriter {
    /// Writes a manifest with one book per line.
    mutating func manifest<Book>(
        _ books: [Book], breakBeforeFirst: Bool = true, _ write: (Book, inout CommandFileWriter) -> Void
    ) {
        newLine()
        open("manifest")
        if breakBeforeFirst || books.isEmpty { newLine() }
        for book in books {
            write(book, &self)
            newLine()
        }
        close("manifest")
        newLine()
    }
}

extension CommandFileElement {
    /// The books of a command's root element.
    var manifest: [CommandFileElement] {
        all("manifest").flatMap { $0.all("book") }
    }

    /// The texts of a list; nil if the list is missing, which differs from an empty list.
    func list(_ name: String, of item: String = "collection") -> [String]? {
        let lists = all(name)
        guard !lists.isEmpty else { return nil }
        return lists.flatMap { $0.all(item) }.map(\.trimmedText).filter { !$0.isEmpty }
    }

    /// The value of `true`/`yes`/`1` or `false`/`no`/`0`, ignoring case; nil for other texts.
    func flag(_ name: String) -> Bool? {
        switch attributes[name]?.trimmingXMLSpace().lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: nil
        }
    }

    /// A finite number; nil for other texts.
    func number(_ name: String) -> Double? {
        guard let text = attributes[name], let value = Double(text.trimmingXMLSpace()), value.isFinite else {
            return nil
        }
        return value
    }

    /// An integer that is not negative; nil for other texts.
    func count(_ name: String) -> Int? {
        guard let text = attributes[name], let value = Int(text.trimmingXMLSpace()), value >= 0 else {
            return nil
        }
        return value
    }

    /// An identifying attribute. The original host writes the word `None` for a missing one.
    func identifier(_ name: String) -> String {
        guard let text = attributes[name]?.trimmingXMLSpace(), text != "None" else { return "" }
        return text
    }
}
