/// Brings a command line into the one shape the parser knows: verb first, and no option with an optional value.
///
/// People write `overlayhost --json books` and `overlayhost books --json` alike, and `--simulated` with or without
/// `=DIR`; the parser takes options only after the verb and has no optional values.
struct ArgumentNormalizer {
    /// Options before the verb that take a value as the next word.
    static let valueOptions: Set<String> = [
        "--device", "--app", "--profile", "--plugins", "--prefs", "--trace", "--color",
    ]
    /// Every option that may stand before the verb.
    static let options = valueOptions.union([
        "--simulated", simulatedFolder, "--in-process", "--json", "--quiet", "-q", "--verbose", "-v",
        "--trace-contents", "--watch",
    ])
    /// Verbs that only group others.
    static let groups: Set<String> = ["prefs", "trace"]
    /// The first word when a shell asks for completions.
    static let completion = "---completion"
    /// What `--simulated=DIR` becomes.
    static let simulatedFolder = "--simulated-folder"

    /// `arguments` without the program's name.
    static func normalized(_ arguments: [String]) -> [String] {
        // A shell asks for completions with the words as they are.
        if arguments.first == completion { return arguments }
        var rest = ArraySlice(arguments)
        var leading: [String] = []
        while let first = rest.first, first.hasPrefix("-"), first != "--", first != "-" {
            // These end the run, and what follows does not count.
            if ["--help", "-h", "--version"].contains(first) || first.hasPrefix("--generate-completion") {
                return spelledOut(leading + rest)
            }
            leading.append(rest.removeFirst())
            if valueOptions.contains(first), let value = rest.first {
                leading.append(value)
                rest.removeFirst()
            }
        }
        var verb = Array(rest.prefix(1))
        rest = rest.dropFirst()
        // A group's verb is two words, and the options follow the second.
        if verb.first.map(groups.contains) == true, let second = rest.first, !second.hasPrefix("-") {
            verb.append(second)
            rest.removeFirst()
        }
        return spelledOut(verb + leading + (verb == ["prefs", "set"] ? numbersLast(rest) : Array(rest)))
    }

    /// The words with negative numbers behind the options: the parser takes them for options elsewhere.
    private static func numbersLast(_ words: ArraySlice<String>) -> [String] {
        guard !words.contains("--") else { return Array(words) }
        func isNegative(_ word: String) -> Bool { word.hasPrefix("-") && Double(word) != nil }
        let numbers = words.filter(isNegative)
        return words.filter { !isNegative($0) } + (numbers.isEmpty ? [] : ["--"] + numbers)
    }

    /// The first word that stands for a cluster of short options, such as `-qv`, but cannot be one: probably the name of a
    /// file, of which single letters must not be taken for options.
    static func fileLikeAnOption(_ words: [String]) -> String? {
        if words.first == completion { return nil }
        for (place, word) in words.enumerated() {
            if word == "--" { return nil }
            if place > 0, OptionValues.options.contains(words[place - 1]) { continue }
            guard word.hasPrefix("-"), !word.hasPrefix("--"), !word.hasPrefix("-o"), word.count > 2,
                Double(word) == nil
            else { continue }
            if !word.dropFirst().allSatisfy({ shortOptions.contains($0) }) { return word }
        }
        return nil
    }

    /// The letters of options that need no value, which may stand behind one dash together.
    private static let shortOptions: Set<Character> = ["q", "v", "h", "y"]

    private static func spelledOut(_ arguments: [String]) -> [String] {
        var afterTerminator = false
        return arguments.flatMap { argument -> [String] in
            if argument == "--" { afterTerminator = true }
            let prefix = "--simulated="
            if afterTerminator { return [argument] }
            if argument.hasPrefix(prefix) {
                return [simulatedFolder, String(argument.dropFirst(prefix.count))]
            }
            // The parser takes an empty value only as its own word.
            guard argument.hasPrefix("--"), argument.last == "=",
                argument.firstIndex(of: "=") == argument.index(before: argument.endIndex)
            else {
                return [argument]
            }
            return [String(argument.dropLast()), ""]
        }
    }
}
