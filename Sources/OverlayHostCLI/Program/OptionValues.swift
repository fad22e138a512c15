import OverlayHost

/// The options that take a value as the next word, so that a word after one of them is a value, also if it begins with a dash.
enum OptionValues {
    /// Their names; a test holds them against the parser.
    static let options: Set<String> = [
        "--add", "--app", "--author", "--author-sort", "--bandwidth", "--book", "--bundle-id", "--collection",
        "--color", "--cover", "--description", "--device", "--exec", "--extension", "--fields", "--format",
        "--from-sidecar", "--ignore", "--ios", "--junit", "--language", "--latency", "--library", "--limit",
        "--marvin", "--media-type", "--name", "--on-conflict", "--output", "--parameter", "--plugins",
        "--prefer", "--prefs", "--profile", "--pubdate", "--publisher", "--range", "--rating", "--remove",
        "--round-trip",
        "--rule", "--search", "--series", "--series-index", "--simulated-folder", "--skip", "--sniffers",
        "--sort", "--tag", "--timeout", "--title", "--title-sort", "--trace", "--trust", "--uuid", "--wanted",
        "--word-count", "-o",
    ]
    /// Those of which an empty value means something: everything, a temporary folder.
    private static let mayBeEmpty: Set<String> = ["--search", ArgumentNormalizer.simulatedFolder]

    /// Those of `update` that clear a field of a book with an empty value.
    private static let mayClear: Set<String> = [
        "--author", "--author-sort", "--description", "--pubdate", "--publisher", "--rating", "--series",
        "--series-index", "--tag", "--title", "--title-sort", "--word-count",
    ]

    /// The error of the first option that is given nothing, as a script does whose variable is not set: without its value
    /// the command would be about something else. `words` is a normalized command line.
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
