/// A table of text that fits a width: the widest flexible columns give way first, then, on a terminal too narrow for what
/// the columns should keep, all of them, and at last the end of each line. A line never wraps.
struct TextTable {
    enum Alignment { case left, right }

    struct Column {
        var title: String
        var alignment: Alignment = .left
        /// Cells the column keeps as long as others can give way. A column that shall stay whole has `.max`.
        var minimum: Int = .max
    }

    var columns: [Column]
    private(set) var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row; missing cells are empty, surplus ones are left out.
    mutating func add(_ cells: [String]) {
        let padding = Array(repeating: "", count: max(0, columns.count - cells.count))
        rows.append(Array((cells.map(TerminalText.sanitized) + padding).prefix(columns.count)))
    }

    /// The table as lines. `width` nil: as wide as it wants to be, for pipes and files.
    func render(width: Int?) -> String {
        let widths = columnWidths(within: width)
        let lines = ([columns.map(\.title)] + rows).map { cells in
            let line = line(cells, widths)
            return width.map { TerminalText.truncated(line, to: max(1, $0)) } ?? line
        }
        return lines.joined(separator: "\n")
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            if index > 0 { line += "  " }
            let cut = TerminalText.truncated(cell, to: widths[index])
            line += TerminalText.padded(cut, to: widths[index], alignment: columns[index].alignment)
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// Cells below which no column is cut: less says nothing.
    private static let least = 4

    private func columnWidths(within limit: Int?) -> [Int] {
        var widths = columns.indices.map { index in
            rows.reduce(TerminalText.width(of: columns[index].title)) {
                max($0, TerminalText.width(of: $1[index]))
            }
        }
        guard let limit else { return widths }
        let gaps = 2 * max(0, columns.count - 1)
        Self.shrink(&widths, to: limit - gaps, minimums: columns.map(\.minimum))
        Self.shrink(&widths, to: limit - gaps, minimums: columns.map { _ in Self.least })
        return widths
    }

    /// Takes from the widest columns that may still give way until all fit into `room`, or none is left.
    private static func shrink(_ widths: inout [Int], to room: Int, minimums: [Int]) {
        var surplus = widths.reduce(0, +) - room
        while surplus > 0 {
            let flexible = widths.indices.filter { widths[$0] > minimums[$0] }
            guard let widest = flexible.max(by: { widths[$0] < widths[$1] }) else { break }
            // Cut down to the next widest one at once, but never below the column's minimum.
            let next = flexible.filter { widths[$0] < widths[widest] }.map { widths[$0] }.max() ?? 0
            let target = max(minimums[widest], next, widths[widest] - surplus)
            let cut = max(1, widths[widest] - target)
            widths[widest] -= cut
            surplus -= cut
        }
    }
}
