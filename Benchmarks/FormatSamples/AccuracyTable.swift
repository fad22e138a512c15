import Formats
import FoundationEssentials

/// How each known format fares when names lie or documents are damaged, as a table in Markdown.
package struct AccuracyTable {
    /// One way to meet a document.
    private struct Column: Sendable {
        let title: String
        let guess: @Sendable (FormatSample) -> Format?
    }

    private static let junk = Array("These bytes belong to nothing. ".utf8)

    private static let columns: [Column] = [
        Column(title: "right hint") { sample in
            guess(
                sample.content, extensions: [sample.fileExtension],
                mediaTypes: [sample.format.mediaType.string])
        },
        Column(title: "wrong hint") { sample in
            guess(sample.content, extensions: [sample.format == .pdf ? "epub" : "pdf"])
        },
        Column(title: "no hint") { guess($0.content) },
        Column(title: "truncated") { guess(Array($0.content.prefix($0.content.count / 2))) },
        Column(title: "renamed") { sample in
            guess(sample.content, extensions: ["bin"], mediaTypes: ["application/octet-stream"])
        },
        Column(title: "junk after") { guess($0.content + junk) },
        Column(title: "junk before") { guess(junk + $0.content) },
    ]

    private static func guess(
        _ content: [UInt8], extensions: [String?] = [], mediaTypes: [String] = []
    ) -> Format? {
        Format.guess(
            bytes: { Data(content) }, fileExtensions: extensions.compactMap { $0 }, mediaTypes: mediaTypes)
    }

    /// The table: a tick for the right format, the name of another answer, a dash for none.
    package static func markdown() -> String {
        var lines = [
            "| Format | " + columns.map(\.title).joined(separator: " | ") + " |",
            "|---|" + columns.map { _ in "---|" }.joined(),
        ]
        for sample in FormatSample.all {
            let cells = columns.map { column in
                let answer = column.guess(sample)
                if answer == sample.format { return "✓" }
                return answer.flatMap { answer in FormatSample.of(answer)?.name } ?? "–"
            }
            lines.append("| `\(sample.name)` | " + cells.joined(separator: " | ") + " |")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
