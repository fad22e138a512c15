import ArgumentParser

/// The help for the program, a group or a command: the parser's text, rearranged with the command's own options first
/// and the examples last.
struct HelpPage {
    /// The words after the program's name.
    let path: [String]
    private let command: any ParsableCommand.Type

    /// The help for the command with these words; nil if one of them is not a command. Words from the first option on,
    /// and words after a command, are ignored.
    ///
    /// - Parameter isTopic: whether these are the words after `help`, all of which must be commands.
    init?(_ words: [String], isTopic: Bool = false) {
        var command: any ParsableCommand.Type = OverlayHostCommand.self
        var path: [String] = []
        for word in words {
            let commands = command.configuration.subcommands
            if commands.isEmpty && !isTopic || word.hasPrefix("-") { break }
            guard let next = commands.first(where: { $0.configuration.commandName == word }) else {
                return nil
            }
            command = next
            path.append(word)
        }
        (self.command, self.path) = (command, path)
    }

    /// The cells to which help is wrapped on a terminal with this many.
    ///
    /// Explanations are indented by up to 28 cells, and need room beside that. On a terminal with less than 40, the
    /// lines are longer than the terminal.
    static func columns(of width: Int?) -> Int { min(max(width ?? 80, 40), 100) }

    /// The text wrapped to this many cells, at least 40.
    func text(columns: Int) -> String {
        let whole = OverlayHostCommand.helpMessage(for: command, columns: columns)
        var sections = Self.sections(whole)
        // The parser puts titled groups of options before the others, among which are the common ones.
        if let place = sections.firstIndex(where: { $0.hasPrefix("OPTIONS:") }) {
            let options = Self.divided(sections.remove(at: place))
            sections.insert(options[0], at: sections.firstIndex(where: Self.isTitledOptions) ?? place)
            sections.insert(contentsOf: options.dropFirst(), at: place + 1)
        }
        let examples = examples(columns: columns)
        return (sections.map(Self.renamed) + examples).joined(separator: "\n\n")
    }

    /// Two lines for each example: its description and the command.
    private func examples(columns: Int) -> [String] {
        let examples = CommandExamples.all[path.joined(separator: " ")] ?? examplesOfGroup
        guard !examples.isEmpty else { return [] }
        let lines = examples.map { "  # \($0.meaning)\n  overlayhost \($0.line)" }
        return ["EXAMPLES:\n" + lines.joined(separator: "\n")]
    }

    /// For a group: the first example of each of its first commands, or both examples of its only command.
    private var examplesOfGroup: [CommandExamples.Example] {
        guard !path.isEmpty else { return [] }
        let commands = command.configuration.subcommands.compactMap { $0.configuration.commandName }
        let all = commands.compactMap { CommandExamples.all[(path + [$0]).joined(separator: " ")] }
        return Array((all.count == 1 ? all[0] : all.compactMap(\.first)).prefix(2))
    }

    /// The text split at empty lines, with the paragraphs of an overview kept together.
    private static func sections(_ text: String) -> [String] {
        var sections: [String] = []
        for part in text.split(separator: "\n\n", omittingEmptySubsequences: true) {
            let part = part.trimmingNewlines
            let isSection = part.prefix { $0 != "\n" && $0 != ":" }.allSatisfy {
                $0.isUppercase || $0 == " "
            }
            if isSection || sections.isEmpty {
                sections.append(part)
            } else {
                sections[sections.count - 1] += "\n\n" + part
            }
        }
        return sections
    }

    /// A section of options without the common ones, followed by sections with these.
    private static func divided(_ section: String) -> [String] {
        var own: [Substring] = []
        var common: [CommonSection: [Substring]] = [:]
        var current: CommonSection?
        for line in section.split(separator: "\n") {
            // Lines that continue an explanation are indented further.
            if line.hasPrefix("  -") {
                let names = line.split(separator: " ").prefix { $0.hasPrefix("-") }
                current = CommonSection.allCases.first { section in
                    names.contains { section.options.contains(String($0)) }
                }
            }
            if let current { common[current, default: []].append(line) } else { own.append(line) }
        }
        return [own.joined(separator: "\n")]
            + CommonSection.allCases.compactMap { section in
                common[section].map { ([Substring(section.rawValue)] + $0).joined(separator: "\n") }
            }
    }

    /// The section with the usual heading: commands, not subcommands.
    private static func renamed(_ section: String) -> String {
        let heading = section.prefix { $0 != "\n" }
        guard heading.hasSuffix(" SUBCOMMANDS:") else { return section }
        return heading.dropLast(" SUBCOMMANDS:".count) + " COMMANDS:" + section.dropFirst(heading.count)
    }

    private static func isTitledOptions(_ section: String) -> Bool {
        !["OVERVIEW:", "USAGE:", "ARGUMENTS:", "OPTIONS:"].contains { section.hasPrefix($0) }
            && section.contains("\n  -")
    }
}

extension Substring {
    fileprivate var trimmingNewlines: String {
        var text = self
        while text.first == "\n" { text.removeFirst() }
        while text.last == "\n" { text.removeLast() }
        return String(text)
    }
}
