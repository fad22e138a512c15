import ArgumentParser

/// A command line without its long runs of items, for the parser, which takes time quadratic in the number of its words.
///
/// A run of words without a dash at their beginning consists of the value of an option or the verb, which only the first word
/// can be, of another positional argument, which only the first two can be, and of items. The parser receives one stand-in
/// for the items of each run, and keeps its place among the other items.
struct SetAsideItems {
    /// The command line for the parser.
    private(set) var words: [String] = []
    private var runs: [ArraySlice<String>] = []

    /// How many words at the beginning of a run may be something else than items.
    private static let uncertain = 2
    /// No argument of a process can contain this character.
    private static let mark = "\0"

    /// `arguments` is a normalized command line: the verb first.
    init(_ arguments: [String]) {
        guard let verb = arguments.first,
            OverlayHostCommand.configuration.subcommands.contains(where: {
                $0.configuration.commandName == verb && $0 is any ListVerb.Type
            })
        else {
            words = arguments
            return
        }
        var rest = ArraySlice(arguments)
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

    /// `command` with all items in their places.
    func restored(_ command: any Verb) -> any Verb {
        guard !runs.isEmpty, var list = command as? any ListVerb else { return command }
        list.items = list.items.flatMap { item -> [String] in
            guard item.hasPrefix(Self.mark), let place = Int(item.dropFirst()), runs.indices.contains(place)
            else { return [item] }
            return Array(runs[place])
        }
        return list
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
