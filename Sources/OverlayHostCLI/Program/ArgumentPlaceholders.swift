import ArgumentParser

/// A command line with long runs of items replaced by placeholders, because the parser takes time quadratic in the
/// number of words.
///
/// A run of words without a leading dash consists of an option's value or the command (only the first word), another
/// positional argument (only the first two words), and items. The parser gets one placeholder for the items of each
/// run, which also keeps their position among the other items.
///
/// An option that is repeated for each item is passed to the parser once, with a placeholder for all its values.
struct ArgumentPlaceholders {
    /// The command line for the parser.
    private(set) var words: [String] = []
    private var runs: [ArraySlice<String>] = []
    /// The values of the option that is repeated for each item, if they are replaced.
    private var optionValues: [String] = []

    /// How many words at the beginning of a run may be something other than items.
    private static let uncertain = 2
    /// Arguments of a process cannot contain this character.
    private static let mark = "\0"

    /// `arguments` is a normalized command line, with the command first.
    init(_ arguments: [String]) {
        guard let word = arguments.first,
            let command = OverlayHostCommand.subcommand(word) as? any ListCommand.Type
        else {
            words = arguments
            return
        }
        let option = (command as? any ItemOptionCommand.Type)?.itemOption
        var rest = option.map { ArraySlice(settingAside($0, arguments)) } ?? ArraySlice(arguments)
        while !rest.isEmpty {
            let run = rest.prefix { !$0.hasPrefix("-") }
            rest.removeFirst(run.count)
            keep(run)
            // `--` after a word without a dash ends the options: all words after it are positional.
            if rest.first == "--", !run.isEmpty {
                words.append("--")
                keep(rest.dropFirst())
                return
            }
            let options = rest.prefix { $0.hasPrefix("-") }
            rest.removeFirst(options.count)
            words += options
        }
    }

    /// `command` with all items restored.
    func restored(_ command: any ProgramCommand) -> any ProgramCommand {
        guard !runs.isEmpty || !optionValues.isEmpty, var list = command as? any ListCommand else {
            return command
        }
        if !optionValues.isEmpty, var item = list as? any ItemOptionCommand {
            item.itemOptionValues = optionValues
            list = item
        }
        list.items = list.items.flatMap { item -> [String] in
            guard item.hasPrefix(Self.mark), let place = Int(item.dropFirst()), runs.indices.contains(place)
            else { return [item] }
            return Array(runs[place])
        }
        return list
    }

    /// The words with `option` and a placeholder for its values in place of its first use, if it is used more than
    /// once and always with a value.
    private mutating func settingAside(_ option: String, _ words: [String]) -> [String] {
        var kept: [String] = []
        var values: [String] = []
        var first = 0
        var rest = ArraySlice(words)
        while let word = rest.popFirst() {
            if word == "--" {
                kept.append(word)
                kept += rest
                break
            }
            let isJoined = word.hasPrefix(option + "=")
            guard word == option || isJoined else {
                kept.append(word)
                continue
            }
            // After an option that takes a value, the word is that value or a mistake.
            let isValue = kept.last.map(OptionValues.options.contains) == true
            guard !isValue, isJoined || rest.first?.hasPrefix("-") == false else { return words }
            if values.isEmpty { first = kept.count }
            values.append(isJoined ? String(word.dropFirst(option.count + 1)) : rest.removeFirst())
        }
        guard values.count > 1 else { return words }
        kept.insert(contentsOf: [option, Self.mark], at: first)
        optionValues = values
        return kept
    }

    private mutating func keep(_ run: ArraySlice<String>) {
        words += run.prefix(Self.uncertain)
        let items = run.dropFirst(Self.uncertain)
        guard items.count > 1 else {
            words += items
            return
        }
        words.append(Self.mark + String(runs.count))
        runs.append(items)
    }
}
