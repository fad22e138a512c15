import ArgumentParser
import OverlayHost

/// A command line that the parser did not understand, explained with the word that was probably meant.
struct UsageMistake {
    /// The explanation for a person.
    let text: String
    /// The same as an error, for JSON.
    let error: HostError

    /// `text` is the parser's message with its usage lines; `words` the command line.
    init(text: String, words: [String]) {
        if let (word, path, verbs) = Self.unknownVerb(in: words) {
            let nearest = EditDistance.nearest(to: word, among: verbs)
            let hint =
                nearest.map { "Did you mean '\(path) \($0)'?" } ?? "'\(path) --help' lists the verbs."
            error = HostError(.usage, "there is no such verb", subject: word, hint: hint)
            self.text = ErrorReport.text(error)
        } else {
            let message = text.split(separator: "\n").first.map { String($0) } ?? text
            let words = message.hasPrefix("Error: ") ? String(message.dropFirst(7)) : message
            error = HostError(.usage, words, hint: "'overlayhost VERB --help' shows how the verb is used.")
            self.text = text.hasPrefix("Error: ") ? "overlayhost: " + text.dropFirst(7) : text
        }
    }

    /// The first word that should be a verb of its group and is none, with the group's path and verbs.
    private static func unknownVerb(in words: [String]) -> (word: String, path: String, verbs: [String])? {
        var group: any ParsableCommand.Type = OverlayHostCommand.self
        var path = "overlayhost"
        for word in words {
            let verbs = group.configuration.subcommands
            guard !verbs.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
            guard let verb = verbs.first(where: { $0.configuration.commandName == word }) else {
                return (word, path, verbs.compactMap { $0.configuration.commandName })
            }
            group = verb
            path += " " + word
        }
        return nil
    }
}
