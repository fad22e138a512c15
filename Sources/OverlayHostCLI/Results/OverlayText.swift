import JSON
import OverlayHost

/// Everything about one overlay, as text.
struct OverlayText {
    let descriptor: OverlayDescription
    let file: String
    /// Why it is not used; nil if it is.
    let problem: String?
    let abilities: [String]
    let options: [PreferenceRow]
    /// Whether headings are bold.
    var isStyled = false

    /// The text; on a terminal `width` cells wide, lines are wrapped.
    func render(width: Int?) -> String {
        var parts = [facts(width)]
        if !options.isEmpty { parts.append(heading("Options", width) + "\n\n" + optionList(width)) }
        if let help = descriptor.help, !help.isEmpty {
            parts.append(MarkdownText(width: width, isStyled: isStyled).render(help))
        }
        return parts.joined(separator: "\n\n")
    }

    private func heading(_ text: String, _ width: Int?) -> String {
        MarkdownText(width: width, isStyled: isStyled).render("# " + text)
    }

    private func facts(_ width: Int?) -> String {
        let facts: [(String, String)] = [
            ("Name", "\(descriptor.name) \(descriptor.version)"), ("Id", descriptor.id),
            ("Summary", descriptor.summary), ("Refused", problem ?? ""), ("App", descriptor.appName),
            ("Bundle ids", descriptor.appIDs.joined(separator: ", ")),
            ("Formats", descriptor.formats.joined(separator: ", ")),
            ("Abilities", abilities.joined(separator: ", ")),
            ("Can change", descriptor.settableMetadata.joined(separator: ", ")), ("File", file),
        ]
        return Self.fields(facts, width)
    }

    /// Names and values, one pair per line, with long values wrapped.
    private static func fields(_ fields: [(String, String)], _ width: Int?, indent: String = "") -> String {
        let known = fields.filter { !$0.1.isEmpty }
        let column = (known.map { $0.0.count }.max() ?? 0) + 2
        return known.map { name, value in
            let text = TerminalText.sanitized(value)
            let room = width.map { max(16, min($0, 100) - column - indent.count) }
            let lines = room.map { TerminalText.wrapped(text, to: $0) } ?? [text]
            return lines.enumerated().map { index, line in
                indent + TerminalText.padded(index == 0 ? name : "", to: column, alignment: .left) + line
            }.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private func optionList(_ width: Int?) -> String {
        options.map { row in
            let preference = row.preference
            let wrong =
                row.problem.map { "invalid: \($0)" }
                ?? (row.remarks.isEmpty ? nil : row.remarks.joined(separator: " "))
            let value = (row.value?.text() ?? "not set") + (wrong.map { " (\($0))" } ?? "")
            let fields: [(String, String)] = [
                ("Value", value), ("Default", preference?.fallback?.text() ?? "none"),
                ("Takes", preference?.expectation ?? ""),
            ]
            let meaning =
                width.map { TerminalText.wrapped(preference?.meaning ?? "", to: max(16, min($0, 100) - 2)) }
                ?? [preference?.meaning ?? ""]
            let title = row.key + (preference?.label.map { "  (\($0))" } ?? "")
            return ([TerminalText.sanitized(title)] + meaning.map { "  " + TerminalText.sanitized($0) })
                .joined(separator: "\n") + "\n" + Self.fields(fields, width, indent: "  ")
        }.joined(separator: "\n\n")
    }
}
