import Foundation

/// Rows printed as a Markdown table, so that a run can be pasted into the documentation.
struct BenchmarkTable {
    let title: String
    let columns: [String]
    private var rows: [[String]] = []

    init(_ title: String, _ columns: [String]) {
        self.title = title
        self.columns = columns
    }

    mutating func add(_ cells: [String]) { rows.append(cells) }

    func print() {
        Swift.print("\n## \(title)\n")
        let widths = columns.indices.map { column in
            ([columns] + rows).map { $0[column].count }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            "| "
                + zip(cells, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }.joined(
                    separator: " | ")
                + " |"
        }
        Swift.print(line(columns))
        Swift.print("|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|")
        for row in rows { Swift.print(line(row)) }
    }

    /// A number with two significant decimals.
    static func number(_ value: Double, _ decimals: Int = 2) -> String {
        String(format: "%.\(decimals)f", value)
    }
}
