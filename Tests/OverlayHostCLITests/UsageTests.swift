import ArgumentParser
import Foundation
import OverlayHost
import Testing

@testable import OverlayHostCLI

@Suite("Mistakes in the command line are explained")
struct UsageTests {
    @Test(
        "The message says what is wrong, and the hint names the right command",
        arguments: [
            (["--device"], "Missing value for '--device'.", "'overlayhost --help' lists the commands."),
            (["books", "--device"], "Missing value for '--device <id>'.", "'overlayhost books --help'"),
            (["prefs"], "'overlayhost prefs' requires a command.", "list, get, set, unset, path"),
            ([], "'overlayhost' requires a command.", "books, info"),
            (
                ["prefs", "set", "x"], "Missing expected argument '<value>'.",
                "'overlayhost prefs set --help'"
            ),
            (["prefs", "lst"], "Unknown command.", "'overlayhost prefs list'"),
            (
                ["upload", "-dash.epub"], "An argument that begins with a dash is read as an option.",
                "./-dash.epub"
            ),
            (["--bogus"], "Unknown option '--bogus'.", "'overlayhost --help'"),
            (["--devcie", "x", "books"], "Unknown option '--devcie'.", "Did you mean '--device'?"),
            (
                ["check", "x.so", "--rule", "loading/*", "--skip", "*"],
                "--skip excludes every rule that --rule selects. Nothing would be checked.",
                "'overlayhost check --help'"
            ),
            (
                ["check", "x.so", "--skip", "*"],
                "--skip excludes every rule. Nothing would be checked.",
                "'overlayhost check --help'"
            ),
            (
                ["collections", "--add", "To read"],
                "No book given. Put the books after the collection: collections --add NAME BOOK.",
                "'overlayhost collections --help'"
            ),
            (
                ["delete", "--yes", "--app", "", "X"], "The value of --app is empty.",
                "leave out the option"
            ),
            (["--app=", "books"], "The value of --app is empty.", "leave out the option"),
            (["--device", " ", "books"], "The value of --device is empty.", "leave out the option"),
            (["books", "--collection", ""], "The value of --collection is empty.", "leave out the option"),
            (["get", "X", "-o", ""], "The value of -o is empty.", "leave out the option"),
            (["watch", "--exec", ""], "The value of --exec is empty.", "leave out the option"),
            (
                ["update", "--app", "", "Emma", "--rating", "5"], "The value of --app is empty.",
                "leave out the option"
            ),
            (["ls"], "Unknown command.", "Did you mean 'overlayhost books'?"),
            (["rm", "x"], "Unknown command.", "Did you mean 'overlayhost delete'?"),
            (["cp"], "Unknown command.", "Did you mean 'overlayhost get' or 'overlayhost upload'?"),
            (["version"], "Unknown command.", "Did you mean 'overlayhost --version'?"),
            (["uplaod", "x"], "Unknown command.", "Did you mean 'overlayhost upload'?"),
            (["help", "nonsense"], "Unknown command.", "'overlayhost --help' lists the commands."),
            (
                ["help", "books", "extra"], "Unknown command.",
                "'overlayhost books' has no subcommands."
            ),
            (["help", "prefs", "set", "x"], "Unknown command.", "See 'overlayhost prefs set --help'."),
            (["mv", "a", "b"], "Unknown command.", "'overlayhost update' or 'overlayhost collections'?"),
            (["list"], "Unknown command.", "Did you mean 'overlayhost books'?"),
            (["remove", "x"], "Unknown command.", "Did you mean 'overlayhost delete'?"),
            (["verify"], "Unknown command.", "Did you mean 'overlayhost backup --verify'?"),
            (["prefs", "rm", "x"], "Unknown command.", "Did you mean 'overlayhost prefs unset'?"),
            (["help", "prefs", "ste"], "Unknown command.", "Did you mean 'overlayhost prefs set'?"),
            (["nonsense", "--help"], "Unknown command.", "'overlayhost --help' lists the commands."),
            (["info", "--bogus", "x"], "Unknown option '--bogus'.", "'overlayhost info --help'"),
            (
                ["update", "x", "--tags", "y"], "Unknown option '--tags'. Did you mean '--tag'?",
                "'overlayhost update --help'"
            ),
            (
                ["update", "x"], "Nothing to update. Give at least one field, such as --title.",
                "'overlayhost update --help'"
            ),
        ] as [([String], String, String)])
    func mistakes(words: [String], message: String, hint: String) throws {
        let run = try ProgramBench().run(["--json"] + words)
        #expect(run.status == 64)
        #expect(try run.error("code") == "usage")
        #expect(try run.error("message") == message)
        #expect(try run.error("hint")?.contains(hint) == true)
    }

    @Test(
        "The version is a text, or a document for programs",
        arguments: [["--version", "--json"], ["--json", "--version"]])
    func version(words: [String]) throws {
        let run = try ProgramBench().run(words)
        #expect(run.status == 0)
        let document = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: String]
        #expect(document == ["name": "overlayhost", "version": OverlayHostVersion.text])
        #expect(try ProgramBench().run(["--version"]).output == "overlayhost \(OverlayHostVersion.text)\n")
    }

    @Test("A group without its command shows its help, which is not a mistake")
    func help() throws {
        let run = try ProgramBench().run(["prefs"])
        #expect(run.status == 0)
        #expect(run.output.contains("SUBCOMMANDS"))
    }
}

@Suite("Help of the commands is complete")
struct HelpTests {
    @Test(
        "No line of any command's help is wider than 80 cells",
        arguments: CommonOptionTests.commands + ["prefs", ""])
    func width(command: String) throws {
        let words = command.split(separator: " ").map { String($0) }
        for help in [words + ["--help"], ["help"] + words] {
            let run = try ProgramBench().run(help)
            #expect(run.status == 0)
            for line in run.output.split(separator: "\n") {
                #expect(TerminalText.width(of: String(line)) <= 80, "\(line)")
            }
        }
    }

    @Test("A command's own options come first, then common ones under headings, and examples at the end")
    func order() throws {
        let text = try ProgramBench().run(["upload", "--help"]).output
        let headings = text.split(separator: "\n").filter { $0.hasSuffix(":") && $0 == $0.uppercased() }
        #expect(
            headings == [
                "ARGUMENTS:", "OPTIONS:", "DEVICE AND APP:", "OUTPUT:", "FOR AUTHORS OF OVERLAYS:",
                "EXAMPLES:",
            ])
        #expect(text.hasPrefix("OVERVIEW: Add books"))
        let root = try ProgramBench().run(["--help"]).output
        #expect(root.contains("\n\nBOOK COMMANDS:\n  books "))
        #expect(try ProgramBench().run(["help", "upload"]).output == text)
        #expect(try ProgramBench().run(["upload", "x", "--help"]).output == text)
    }

    // MARK: examples

    /// Splits a line into words like a shell, without other features of the shell.
    private func words(_ line: String) -> [String] {
        var words: [String] = []
        var (word, quote): (String?, Character?) = (nil, nil)
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" {
                (quote, word) = (character, word ?? "")
            } else if character == " " {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return Array(words.prefix { $0 != ">" && $0 != "|" })
    }

    @Test("Each command has two examples that the parser takes", arguments: CommonOptionTests.commands)
    func examples(command: String) throws {
        let examples = try #require(CommandExamples.all[command])
        #expect(examples.count == 2)
        let help = try ProgramBench().run(command.split(separator: " ").map { String($0) } + ["--help"])
            .output
        for example in examples {
            #expect(example.line == command || example.line.hasPrefix(command + " "))
            let words = ArgumentNormalizer.normalized(words(example.line))
            #expect(ArgumentNormalizer.fileLikeAnOption(words) == nil)
            let command = try #require(try OverlayHostCommand.parseAsRoot(words) as? any ProgramCommand)
            try command.checkOptions()
            #expect(help.contains("  overlayhost \(example.line)\n"))
        }
    }

    @Test("The help of a group has two examples of its commands", arguments: ["prefs", "trace"])
    func groupExamples(group: String) throws {
        let help = try ProgramBench().run([group, "--help"]).output
        let examples = try #require(help.split(separator: "EXAMPLES:\n").dropFirst().first)
        #expect(examples.components(separatedBy: "\n  overlayhost \(group) ").count == 3, "\(help)")
    }

    @Test("Only existing commands have examples, and the manual page shows all of them in order")
    func manualPage() throws {
        #expect(Set(CommandExamples.all.keys) == Set(CommonOptionTests.commands))
        let lines = CommonOptionTests.commands.flatMap { command in
            (CommandExamples.all[command] ?? []).flatMap { example in
                [".TP", example.meaning, ".B overlayhost \(Self.roff(example.line))"]
            }
        }
        let page = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../docs/overlayhost.1"), encoding: .utf8)
        let section = page.components(separatedBy: ".SH EXAMPLES\n").last?
            .components(separatedBy: "\n.SH ").first
        #expect(section == lines.joined(separator: "\n"))
    }

    @Test("Each command is in the list of JSON documents", arguments: CommonOptionTests.commands)
    func documented(command: String) throws {
        let list = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../docs/json/README.md"), encoding: .utf8)
        #expect(list.contains("`\(command)`"))
    }

    /// Escapes the text for a roff macro.
    private static func roff(_ text: String) -> String {
        text.replacing("-", with: "\\-").replacing("'", with: "\\(aq").replacing("\"", with: "\\(dq")
            .replacing("~", with: "\\(ti")
    }
}
