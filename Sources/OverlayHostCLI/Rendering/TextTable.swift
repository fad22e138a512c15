/// A table of text that fits a width. The widest flexible columns shrink first. On a terminal too narrow for the
/// minimum widths, all columns shrink, and finally the end of each line is cut.
///
/// A key is a text that the next command needs, so it is never cut. If the line has no room for it beside the other
/// columns, it gets its own line.
struct TextTable {
    enum Alignment { case left, right }

    struct Column {
        var title: String
        var alignment: Alignment = .left
        /// The width in cells that the column keeps while others can shrink; `.max` for a column that is never cut.
        var minimum: Int = .max
        /// Whether the cells are texts for the next command, such as paths. Only the first or the last column may be
        /// a key.
        var isKey = false
        /// Whether a text that does not fit continues below instead of being cut; a word that is too long is broken
        /// at the edge of the column.
        var wraps = false
    }

    var columns: [Column]
    private(set) var rows: [[String]] = []
    /// The titles of sections, each with the index of the row after it.
    private var sections: [(row: Int, title: String)] = []
    /// The indentation of a key below its row.
    private static let indent = "  "

    init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row; missing cells are empty, and surplus ones are dropped.
    mutating func add(_ cells: [String]) {
        let padding = Array(repeating: "", count: max(0, columns.count - cells.count))
        rows.append(Array((cells.map(TerminalText.sanitized) + padding).prefix(columns.count)))
    }

    /// Begins a section: its title is printed on a line before the rows that follow.
    mutating func begin(section title: String) {
        sections.append((rows.count, TerminalText.sanitized(title)))
    }

    /// Without a terminal, a column is padded to its widest text up to this width, so that one very long title does
    /// not make every line as long.
    private static let widestFilling = 512

    /// The table as lines. With a nil `width`, for pipes and files, every text is printed whole.
    func render(width: Int?) -> String {
        var text = ""
        write(width: width) { text += $0 }
        return text
    }

    /// Passes the same text to the closure line by line.
    func write(width: Int?, to output: (String) -> Void) {
        guard let width else {
            let filled = widths(upTo: Self.widestFilling)
            return write(output) { [oneLine($0, filled, columns, isCutting: false)] }
        }
        let natural = widths(upTo: .max)
        guard let key = columns.indices.first(where: { columns[$0].isKey }) else {
            let widths = widths(natural, columns, width)
            return write(output) { line($0, widths, columns).map { cut($0, width) } }
        }
        var fixed = columns
        fixed[key].minimum = .max
        let beside = self.widths(natural, fixed, width, squeezing: false)
        if Self.total(beside) <= width { return write(output) { line($0, beside, columns) } }
        writeStacked(natural, key, width, to: output)
    }

    /// Writes the header, the sections, and the rows, each as the lines that it takes.
    private func write(_ output: (String) -> Void, lines: ([String]) -> [String]) {
        output(lines(columns.map(\.title)).joined(separator: "\n"))
        for (index, row) in rows.enumerated() {
            for section in sections where section.row == index { output("\n\n" + section.title + ":") }
            for line in lines(row) { output("\n" + line) }
        }
    }

    /// Writes two lines for each row: the whole key, and the other columns fitted to the terminal.
    private func writeStacked(
        _ natural: [Int], _ key: Int, _ width: Int, to output: (String) -> Void
    ) {
        func others<Element>(_ list: [Element]) -> [Element] {
            list.indices.filter { $0 != key }.map { list[$0] }
        }
        let columns = others(columns)
        guard !columns.isEmpty else { return write(output) { [$0[key]] } }
        let indent = key == 0 ? Self.indent : ""
        let room = max(1, width - indent.count)
        let widths = widths(others(natural), columns, room)
        write(output) { cells in
            let rest = line(others(cells), widths, columns).map { cut(indent + $0, width) }
            return key == 0 ? [cells[key]] + rest : rest + [Self.indent + cells[key]]
        }
    }

    private func cut(_ line: String, _ width: Int) -> String {
        TerminalText.truncated(line, to: max(1, width))
    }

    /// The lines of a row: one, unless a text continues below.
    private func line(_ cells: [String], _ widths: [Int], _ columns: [Column]) -> [String] {
        let pieces = columns.indices.map { index -> [String] in
            columns[index].wraps ? TerminalText.broken(cells[index], to: widths[index]) : [cells[index]]
        }
        return (0..<(pieces.map(\.count).max() ?? 1)).map { number in
            oneLine(pieces.map { number < $0.count ? $0[number] : "" }, widths, columns)
        }
    }

    private func oneLine(
        _ cells: [String], _ widths: [Int], _ columns: [Column], isCutting: Bool = true
    ) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            if index > 0 { line += "  " }
            let cut = isCutting ? TerminalText.truncated(cell, to: widths[index]) : cell
            line += TerminalText.padded(cut, to: widths[index], alignment: columns[index].alignment)
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// A column is never narrower than this many cells.
    private static let least = 4

    /// The width of the widest text in each column, ignoring texts wider than `limit`.
    private func widths(upTo limit: Int) -> [Int] {
        columns.indices.map { index in
            rows.reduce(TerminalText.width(of: columns[index].title)) {
                let width = TerminalText.width(of: $1[index])
                return width > limit ? $0 : max($0, width)
            }
        }
    }

    private static func total(_ widths: [Int]) -> Int { widths.reduce(0, +) + 2 * max(0, widths.count - 1) }

    /// The widths within a limit: columns shrink to their minimums first and, if `squeezing`, below them.
    private func widths(_ natural: [Int], _ columns: [Column], _ limit: Int, squeezing: Bool = true) -> [Int]
    {
        var widths = natural
        let room = limit - 2 * max(0, columns.count - 1)
        Self.shrink(&widths, to: room, minimums: columns.map(\.minimum))
        if squeezing { Self.shrink(&widths, to: room, minimums: columns.map { _ in Self.least }) }
        return widths
    }

    /// Shrinks the widest columns that may still shrink, until all fit into `room` or none is left.
    private static func shrink(_ widths: inout [Int], to room: Int, minimums: [Int]) {
        var surplus = widths.reduce(0, +) - room
        while surplus > 0 {
            let flexible = widths.indices.filter { widths[$0] > minimums[$0] }
            guard let widest = flexible.max(by: { widths[$0] < widths[$1] }) else { break }
            // Shrinks to the next widest one in a single step, but not below the column's minimum.
            let next = flexible.filter { widths[$0] < widths[widest] }.map { widths[$0] }.max() ?? 0
            let target = max(minimums[widest], next, widths[widest] - surplus)
            let cut = max(1, widths[widest] - target)
            widths[widest] -= cut
            surplus -= cut
        }
    }
}
