/// Converts a command line to the form that the parser accepts: the command first, and no option with an optional value.
///
/// People write both `overlayhost --json books` and `overlayhost books --json`, and `--simulated` with or without
/// `=DIR`. The parser accepts options only after the command, and does not support optional values.
struct ArgumentNormalizer {
    /// Options before the command whose value is the next word.
    static let valueOptions: Set<String> = [
        "--device", "--app", "--profile", "--plugins", "--prefs", "--trace", "--color",
    ]
    /// All options that are allowed before the command.
    static let options = valueOptions.union([
        "--simulated", simulatedFolder, "--in-process", "--json", "--quiet", "-q", "--verbose", "-v",
        "--trace-contents", "--watch",
    ])
    /// Commands that only group other commands.
    static let groups: Set<String> = ["prefs", "trace"]
    /// The first word if a shell asks for completions.
    static let completion = "---completion"
    /// The replacement for `--simulated=DIR`.
    static let simulatedFolder = "--simulated-folder"

    /// Normalizes `arguments`, which do not include the program's name.
    static func normalized(_ arguments: [String]) -> [String] {
        // A request for completions contains the words as typed.
        if arguments.first == completion { return arguments }
        var rest = ArraySlice(arguments)
        var leading: [String] = []
        while let first = rest.first, first.hasPrefix("-"), first != "--", first != "-" {
            // These options end the run, and later words do not matter.
            if ["--help", "-h", "--version"].contains(first) || first.hasPrefix("--generate-completion") {
                return spelledOut(leading + rest)
            }
            leading.append(rest.removeFirst())
            if valueOptions.contains(first), let value = rest.first {
                leading.append(value)
                rest.removeFirst()
            }
        }
        var command = Array(rest.prefix(1))
        rest = rest.dropFirst()
        if command == ["help"], rest.first == "help" { rest = rest.dropFirst() }
        // A grouped command has two words, and the options follow the second.
        if command.first.map(groups.contains) == true, let second = rest.first, !second.hasPrefix("-") {
            command.append(second)
            rest.removeFirst()
        }
        return spelledOut(
            command + leading + (command == ["prefs", "set"] ? numbersLast(rest) : Array(rest)))
    }

    /// Moves negative numbers after the options, because elsewhere the parser would take them for options.
    private static func numbersLast(_ words: ArraySlice<String>) -> [String] {
        guard !words.contains("--") else { return Array(words) }
        func isNegative(_ word: String) -> Bool { word.hasPrefix("-") && Double(word) != nil }
        let numbers = words.filter(isNegative)
        return words.filter { !isNegative($0) } + (numbers.isEmpty ? [] : ["--"] + numbers)
    }

    /// The first word that looks like a cluster of short options, such as `-qv`, but cannot be one. It is probably a
    /// file name, whose letters must not be taken for options.
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

    /// The short options without a value, which can be combined after one dash.
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
            // The parser accepts an empty value only as a separate word.
            guard argument.hasPrefix("--"), argument.last == "=",
                argument.firstIndex(of: "=") == argument.index(before: argument.endIndex)
            else {
                return [argument]
            }
            return [String(argument.dropLast()), ""]
        }
    }
}
