import ArgumentParser

/// The script with which a shell completes command lines. It adds to the parser's script the commands after `help`,
/// which the parser does not know.
struct CompletionScript {
    /// The script.
    let text: String

    /// A group of commands and the words for it.
    private struct Group {
        var path: [String]
        var commands: [(name: String, summary: String)]
    }

    /// - Parameter generated: the parser's script for bash, zsh or fish; any other text is not changed.
    init(_ generated: String) {
        if generated.hasPrefix("#compdef") {
            text = Self.replacing("_overlayhost_help", in: generated, with: Self.zsh)
        } else if generated.hasPrefix("#!/bin/bash") {
            text = Self.replacing("_overlayhost_help", in: generated, with: Self.bash)
        } else if generated.contains("complete -c 'overlayhost'") {
            text = generated + "\n" + Self.fish.joined(separator: "\n")
        } else {
            text = generated
        }
    }

    /// The program and its groups.
    private static let groups: [Group] = {
        var groups: [Group] = []
        var open: [(path: [String], command: any ParsableCommand.Type)] = [([], OverlayHostCommand.self)]
        while !open.isEmpty {
            let (path, command) = open.removeFirst()
            let commands = command.configuration.subcommands
            guard !commands.isEmpty else { continue }
            groups.append(
                Group(
                    path: path,
                    commands: commands.map { ($0.configuration.commandName ?? "", $0.configuration.abstract) }
                ))
            open += commands.map { (path + [$0.configuration.commandName ?? ""], $0) }
        }
        return groups
    }()

    // MARK: shells

    /// `unparsed_words` contains the words after `help`; the last one is being completed.
    private static var bash: String {
        let cases = groups.map { group in
            """
                '\(group.path.joined(separator: " "))')
                    COMPREPLY+=($(compgen -W '\(group.commands.map(\.name).joined(separator: " "))' -- "${cur}"))
                    ;;
            """
        }
        return """
                (( ${#unparsed_words[@]} )) || return 0
                case "${unparsed_words[*]::${#unparsed_words[@]}-1}" in
            \(cases.joined(separator: "\n"))
                esac
            """
    }

    /// `words` begins with `help` here, and the word at `CURRENT` is being completed.
    private static var zsh: String {
        let cases = groups.map { group in
            let commands = group.commands.map { "'\($0.name):\(quoted($0.summary))'" }
            return """
                    '\(group.path.joined(separator: " "))')
                        topics=(\(commands.joined(separator: " ")))
                        ;;
                """
        }
        return """
                local -a topics
                case "${(j: :)words[2,CURRENT-1]}" in
            \(cases.joined(separator: "\n"))
                esac
                (( ${#topics} )) && _describe -V topic topics
            """
    }

    /// The parser's fish functions return how many words there are after `help`.
    private static var fish: [String] {
        groups.flatMap { group -> [String] in
            let place = group.path.count + 1
            var condition =
                "__overlayhost_should_offer_completions_for_positional \"overlayhost help\" -eq \(place)"
            if let name = group.path.last { condition += "; and __fish_seen_subcommand_from \(name)" }
            return group.commands.map { command in
                "complete -c 'overlayhost' -n '\(condition)' -fa '\(command.name)' -d '\(fishQuoted(command.summary))'"
            }
        }
    }

    // MARK: texts

    /// A script with the body of a shell function replaced.
    private static func replacing(_ name: String, in script: String, with body: String) -> String {
        guard let head = script.firstRange(of: "\n\(name)() {\n"),
            let end = script[head.upperBound...].firstRange(of: "\n}\n")
        else { return script }
        return script[..<head.upperBound] + body + script[end.lowerBound...]
    }

    /// A text in single quotes, in which zsh ends the name at a colon.
    private static func quoted(_ text: String) -> String {
        text.replacing("'", with: "'\\''").replacing(":", with: "\\:")
    }

    /// A text in single quotes for fish.
    private static func fishQuoted(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    }
}
