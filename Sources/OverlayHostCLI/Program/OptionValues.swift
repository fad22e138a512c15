import OverlayHost

/// The options that take the next word as their value, even if it begins with a dash.
enum OptionValues {
    /// Their names. A test compares them with the parser.
    static let options: Set<String> = [
        "--add", "--app", "--author", "--author-sort", "--bandwidth", "--book", "--bundle-id", "--collection",
        "--color", "--cover", "--description", "--device", "--exec", "--extension", "--fields", "--format",
        "--from-sidecar", "--ignore", "--ios", "--junit", "--language", "--latency", "--library", "--limit",
        "--marvin", "--max-delete", "--media-type", "--name", "--on-conflict", "--output", "--parameter",
        "--plugins", "--prefer", "--prefs", "--profile", "--pubdate", "--publisher", "--range", "--rating",
        "--remove", "--round-trip",
        "--rule", "--search", "--series", "--series-index", "--simulated-folder", "--skip", "--sniffers",
        "--sort", "--tag", "--timeout", "--title", "--title-sort", "--trace", "--trust", "--uuid", "--wanted",
        "--word-count", "-o",
    ]
    /// Options for which an empty value has a meaning: everything, or a temporary folder.
    private static let mayBeEmpty: Set<String> = ["--search", ArgumentNormalizer.simulatedFolder]

    /// Options of `update` that clear a field of a book with an empty value.
    private static let mayClear: Set<String> = [
        "--author", "--author-sort", "--description", "--pubdate", "--publisher", "--rating", "--series",
        "--series-index", "--tag", "--title", "--title-sort", "--word-count",
    ]

    /// The error for the first option with an empty value, as a script passes it if a variable is not set; without
    /// its value the command would do something else. `words` is a normalized command line.
    static func emptyValue(_ words: [String]) -> HostError? {
        guard words.first != ArgumentNormalizer.completion else { return nil }
        let mayBeEmpty = words.first == "update" ? mayBeEmpty.union(mayClear) : mayBeEmpty
        for (option, value) in zip(words, words.dropFirst()) {
            if option == "--" { return nil }
            guard value.allSatisfy(\.isWhitespace), options.contains(option), !mayBeEmpty.contains(option)
            else { continue }
            return HostError(
                .usage, "The value of \(option) is empty.", subject: option,
                hint: "Give a value, or leave out the option.")
        }
        return nil
    }
}
