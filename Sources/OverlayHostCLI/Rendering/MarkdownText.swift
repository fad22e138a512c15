/// Shows Markdown as text for people. It supports what help texts need (headings, paragraphs, lists, code, emphasis,
/// links) and prints everything else unchanged.
struct MarkdownText {
    /// The width of the terminal in cells, to which lines are wrapped; nil prints each paragraph on one line.
    var width: Int?
    /// Whether headings and strong text are styled with escape sequences.
    var isStyled: Bool

    private enum Block: Equatable {
        case heading(String)
        case paragraph(String)
        /// The mark before the first line, and the text.
        case item(String, String)
        case code(String)
        /// The cells of each row; the first row is the header.
        case table([[String]])
    }

    /// The text. Control characters in `markdown` are not passed to the terminal.
    func render(_ markdown: String) -> String {
        var lines: [String] = []
        var last: Block?
        for block in blocks(markdown) {
            if let last, !Self.isTight(last, block) { lines.append("") }
            lines += self.lines(block)
            last = block
        }
        return lines.joined(separator: "\n")
    }

    /// Whether two blocks are printed without an empty line between them.
    private static func isTight(_ first: Block, _ second: Block) -> Bool {
        switch (first, second) {
        case (.item, .item), (.code, .code): true
        default: false
        }
    }

    private func blocks(_ markdown: String) -> [Block] {
        var blocks: [Block] = []
        var isCode = false
        // Whether the next line continues the last block.
        var isOpen = false
        for rawLine in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
            let raw = rawLine.last == "\r" ? rawLine.dropLast() : rawLine
            let text = raw.drop { $0 == " " || $0 == "\t" }
            if text.hasPrefix("```") {
                isCode.toggle()
                isOpen = false
            } else if isCode {
                blocks.append(.code(TerminalText.sanitized(String(raw))))
            } else if text.isEmpty {
                isOpen = false
            } else if text.hasPrefix("|") {
                Self.add(row: text, to: &blocks)
                isOpen = false
            } else if let heading = Self.heading(text) {
                blocks.append(.heading(heading))
                isOpen = false
            } else if let (mark, rest) = Self.item(text) {
                let indent = String(repeating: " ", count: min(8, raw.count - text.count))
                blocks.append(.item(indent + mark, rest))
                isOpen = true
            } else if isOpen, let last = blocks.popLast() {
                blocks.append(Self.continued(last, String(text)))
            } else {
                blocks.append(.paragraph(String(text)))
                isOpen = true
            }
        }
        return blocks
    }

    private static func heading(_ text: Substring) -> String? {
        let marks = text.prefix { $0 == "#" }
        guard (1...6).contains(marks.count), text.dropFirst(marks.count).first == " " else { return nil }
        let title = text.dropFirst(marks.count + 1)
        return String(title)
    }

    private static func item(_ text: Substring) -> (mark: String, rest: String)? {
        if let first = text.first, "-*+".contains(first), text.dropFirst().first == " " {
            return ("• ", String(text.dropFirst(2)))
        }
        let number = text.prefix { $0.isASCII && $0.isNumber }
        guard (1...3).contains(number.count), text.dropFirst(number.count).hasPrefix(". ") else { return nil }
        return (number + ". ", String(text.dropFirst(number.count + 2)))
    }

    /// Adds a line of a table; the line of dashes below the header is left out.
    private static func add(row text: Substring, to blocks: inout [Block]) {
        var pieces = text.dropFirst().split(separator: "|", omittingEmptySubsequences: false)
        // The last bar, which a row may leave out, does not begin another cell.
        if let last = pieces.last, last.allSatisfy({ $0 == " " || $0 == "\t" }) { pieces.removeLast() }
        let cells = pieces.map { $0.split(separator: " ").joined(separator: " ") }
        let isRule = cells.allSatisfy { !$0.isEmpty && $0.allSatisfy { "-:".contains($0) } }
        guard case .table(let rows)? = blocks.last else {
            blocks.append(.table([cells]))
            return
        }
        if isRule { return }
        blocks[blocks.count - 1] = .table(rows + [cells])
    }

    private static func continued(_ block: Block, _ text: String) -> Block {
        switch block {
        case .paragraph(let begun): .paragraph(begun + " " + text)
        case .item(let mark, let begun): .item(mark, begun + " " + text)
        case .heading, .code, .table: block
        }
    }

    private func lines(_ block: Block) -> [String] {
        switch block {
        case .heading(let text): wrapped(inline(text), indent: "", first: "").map(styled)
        case .paragraph(let text): wrapped(inline(text), indent: "", first: "")
        case .item(let mark, let text):
            wrapped(inline(text), indent: String(repeating: " ", count: mark.count), first: mark)
        case .code(let text): ["    " + text]
        case .table(let rows): table(rows)
        }
    }

    private func table(_ rows: [[String]]) -> [String] {
        let header = rows.first ?? []
        let columns = header.enumerated().map { index, title in
            TextTable.Column(
                title: inline(title), minimum: 12, wraps: index == header.count - 1)
        }
        guard !columns.isEmpty else { return [] }
        var table = TextTable(columns)
        for row in rows.dropFirst() { table.add(row.map(inline)) }
        return table.render(width: width.map { min($0, 100) })
            .split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }

    private func wrapped(_ text: String, indent: String, first: String) -> [String] {
        guard let width else { return [first + text] }
        let room = max(16, min(width, 100) - indent.count)
        return TerminalText.wrapped(text, to: room).enumerated().map { ($0 == 0 ? first : indent) + $1 }
    }

    private func styled(_ text: String) -> String { isStyled ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

    /// The text without inline marks; a link's address is added after its text.
    private func inline(_ text: String) -> String {
        let characters = Array(TerminalText.sanitized(text))
        var result = ""
        var index = 0
        while index < characters.count {
            let character = characters[index]
            if character == "`", let end = Self.find("`", characters, index + 1) {
                result += String(characters[(index + 1)..<end])
                index = end + 1
            } else if character == "\\", index + 1 < characters.count,
                "\\`*_[]#-".contains(characters[index + 1])
            {
                result.append(characters[index + 1])
                index += 2
            } else if character == "[", let link = Self.link(characters, index) {
                result += link.text == link.address ? link.text : "\(link.text) (\(link.address))"
                index = link.end
            } else if character == "*" || character == "_", Self.isMark(characters, index) {
                index += 1
            } else {
                result.append(character)
                index += 1
            }
        }
        return result
    }

    /// Whether a star or an underscore marks emphasis: it is at the border of a word and not between spaces.
    private static func isMark(_ characters: [Character], _ index: Int) -> Bool {
        let mark = characters[index]
        var (before, after) = (index - 1, index + 1)
        while before >= 0, characters[before] == mark { before -= 1 }
        while after < characters.count, characters[after] == mark { after += 1 }
        let isWordBefore = before >= 0 && !characters[before].isWhitespace
        let isWordAfter = after < characters.count && !characters[after].isWhitespace
        guard isWordBefore || isWordAfter else { return false }
        if mark == "*" { return true }
        // An underscore inside a word is a character, as in the key of a preference.
        let isWithin =
            before >= 0 && after < characters.count
            && (characters[before].isLetter || characters[before].isNumber)
            && (characters[after].isLetter || characters[after].isNumber)
        return !isWithin
    }

    private static func find(_ mark: Character, _ characters: [Character], _ start: Int) -> Int? {
        guard start < characters.count else { return nil }
        return characters[start...].firstIndex(of: mark)
    }

    private static func link(_ characters: [Character], _ start: Int) -> (
        text: String, address: String, end: Int
    )? {
        guard let close = find("]", characters, start + 1), close + 1 < characters.count,
            characters[close + 1] == "(", let end = find(")", characters, close + 2)
        else { return nil }
        return (
            String(characters[(start + 1)..<close]), String(characters[(close + 2)..<end]), end + 1
        )
    }
}
