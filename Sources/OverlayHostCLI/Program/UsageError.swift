import ArgumentParser
import OverlayHost
import Platform

/// A command line that the parser rejected, explained with the word that was probably meant.
struct UsageError {
    /// The explanation for the user.
    let text: String
    /// The mistake as an error, for JSON.
    let error: HostError

    private init(_ error: HostError) { (self.error, text) = (error, ErrorReport.text(error)) }

    /// A mistake in the words after `help`.
    static func about(topic: [String]) -> UsageError {
        let place = Place(topic)
        guard place.group.isEmpty else { return UsageError(text: "", words: topic) }
        return UsageError(
            HostError(
                .usage, "Unknown command.", subject: topic.joined(separator: " "),
                hint: "'\(place.path)' has no subcommands. See '\(place.path) --help'."))
    }

    /// `text` is the parser's message with its usage lines; `words` is the normalized command line.
    init(text: String, words: [String]) {
        let place = Place(words)
        if place.group.isEmpty {
            // The parser begins a mistake with this word, and most of its sentences lack a full stop.
            let isMistake = text.hasPrefix("Error: ")
            let line = text.split(separator: "\n").first.map { String($0) } ?? text
            let message = isMistake ? String(line.dropFirst(7)) : line
            let isWhole = message.last.map { ".!?".contains($0) } ?? true
            error = HostError(
                .usage, isWhole ? message : message + ".", hint: "See '\(place.path) --help'.")
            self.text = isMistake ? "overlayhost: \(error.message)" + text.dropFirst(line.count) : text
            return
        }
        let unknown = words.first { $0.hasPrefix("-") && !ArgumentNormalizer.options.contains($0) }
        let meant = unknown.flatMap {
            NearestName.find($0, in: ArgumentNormalizer.options.sorted())
        }
        // The value of a misspelt option before the command looks like a command.
        if let unknown, meant != nil || place.stranger == nil {
            error = HostError(
                .usage, "Unknown option '\(unknown)'.",
                hint: meant.map { "Did you mean '\($0)'?" } ?? "'\(place.path) --help' lists the commands.")
            self.text = ErrorReport.text(error)
            return
        }
        if let word = place.stranger {
            let nearest = NearestName.find(word, in: place.group)
            let habits = Self.habits[place.path]?[word.lowercased()]
            let meant = (habits ?? [nearest].compactMap { $0 }).map { "'\(place.path) \($0)'" }
            let hint =
                meant.isEmpty
                ? "'\(place.path) --help' lists the commands."
                : "Did you mean \(meant.joined(separator: " or "))?"
            error = HostError(.usage, "Unknown command.", subject: word, hint: hint)
        } else if let last = words.last, ArgumentNormalizer.valueOptions.contains(last) {
            error = HostError(
                .usage, "Missing value for '\(last)'.", hint: "'\(place.path) --help' lists the commands.")
        } else {
            error = HostError(
                .usage, "'\(place.path)' requires a command.",
                hint: "Use one of: \(place.group.joined(separator: ", ")).")
        }
        self.text = ErrorReport.text(error)
    }

    /// The words of other programs, with their equivalents here, by the words before them.
    private static let habits: [String: [String: [String]]] = [
        "overlayhost": [
            "ls": ["books"], "list": ["books"], "dir": ["books"], "search": ["books --search"],
            "find": ["books --search"], "rm": ["delete"], "remove": ["delete"], "del": ["delete"],
            "cp": ["get", "upload"], "copy": ["get", "upload"], "mv": ["update", "collections"],
            "move": ["update", "collections"], "rename": ["update"], "add": ["upload"], "push": ["upload"],
            "send": ["upload"], "put": ["upload"], "import": ["upload"], "install": ["upload"],
            "restore": ["upload"], "pull": ["get"], "download": ["get"],
            "export": ["annotations", "books --csv"], "show": ["info"], "cat": ["info"], "stat": ["info"],
            "edit": ["update"], "set": ["update", "prefs set"], "tag": ["update", "collections"],
            "shelf": ["collections"], "shelves": ["collections"], "config": ["prefs"],
            "settings": ["prefs"], "preferences": ["prefs"], "plugins": ["overlays"],
            "highlights": ["annotations"], "notes": ["annotations"], "rsync": ["sync"], "mirror": ["sync"],
            "compare": ["diff"], "verify": ["backup --verify"], "status": ["doctor"], "du": ["df"],
            "free": ["df"], "umount": ["eject"], "unmount": ["eject"], "man": ["help"],
            "version": ["--version"],
        ],
        "overlayhost prefs": [
            "ls": ["list"], "show": ["list", "get"], "rm": ["unset"], "remove": ["unset"],
            "delete": ["unset"], "reset": ["unset"], "add": ["set"], "edit": ["set", "path"],
        ],
    ]

    /// How far the words lead into the tree of commands.
    private struct Place {
        /// `overlayhost` and the valid commands.
        var path = "overlayhost"
        /// The commands that may follow; empty if the command is complete.
        var group: [String] = []
        /// The word that should be one of them but is not.
        var stranger: String?

        init(_ words: [String]) {
            var command: any ParsableCommand.Type = OverlayHostCommand.self
            for word in words {
                let commands = command.configuration.subcommands
                if commands.isEmpty || word.hasPrefix("-") || word == "help" { break }
                guard let next = commands.first(where: { $0.configuration.commandName == word }) else {
                    stranger = word
                    break
                }
                command = next
                path += " " + word
            }
            group = command.configuration.subcommands.compactMap { $0.configuration.commandName }
        }
    }
}
