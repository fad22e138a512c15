import Archives
import Formats
import FoundationEssentials

/// A Markdown table of how well each known format is recognised under wrong names and in damaged documents.
package struct AccuracyTable {
    /// A way to present a document.
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

    /// The table: a tick for the right format, the name of another answer, or a dash for none, with numbers if the
    /// documents of a format give different answers.
    ///
    /// - Throws: if the documents of Debian are not installed.
    package static func markdown() throws(ByteSourceError) -> String {
        let made = FormatSample.all + FormatSample.variants
        let real = try RealDocuments.samples()
        var lines = [
            "| Format | made | real | " + columns.map(\.title).joined(separator: " | ") + " |",
            "|---|---|---|" + columns.map { _ in "---|" }.joined(),
        ]
        for format in FormatSample.all.map(\.format) {
            let own = made.filter { $0.format == format }
            let others = real.filter { $0.format == format }
            let cells = columns.map { column in cell((own + others).map { answer(column, $0) }) }
            let counts = "\(own.count) | \(others.isEmpty ? "" : "\(others.count)")"
            lines.append("| `\(own[0].name)` | \(counts) | " + cells.joined(separator: " | ") + " |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func answer(_ column: Column, _ sample: FormatSample) -> String {
        let answer = column.guess(sample)
        if answer == sample.format { return "✓" }
        return answer.flatMap { answer in FormatSample.of(answer)?.name } ?? "–"
    }

    /// The answers, the most frequent first, with their counts if they differ.
    private static func cell(_ answers: [String]) -> String {
        var counts: [String: Int] = [:]
        for answer in answers { counts[answer, default: 0] += 1 }
        guard counts.count > 1 else { return answers.first ?? "" }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
            .joined(separator: ", ")
    }
}
