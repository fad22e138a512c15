import Foundation
import OverlayHost
import Testing

@testable import OverlayHostCLI

@Suite("Mistakes in the command line")
struct UsageTests {
    @Test(
        "The message says what is wrong and the hint names the real verb",
        arguments: [
            (["--device"], "Missing value for '--device'.", "'overlayhost --help' lists the commands."),
            (["books", "--device"], "Missing value for '--device <id>'.", "'overlayhost books --help'"),
            (["prefs"], "'overlayhost prefs' requires a command.", "list, get, set, unset, path"),
            ([], "'overlayhost' requires a command.", "devices, apps"),
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
            (["info", "--bogus", "x"], "Unknown option '--bogus'.", "'overlayhost info --help'"),
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

    @Test("A group without its verb shows its help, which is no mistake")
    func help() throws {
        let run = try ProgramBench().run(["prefs"])
        #expect(run.status == 0)
        #expect(run.output.contains("SUBCOMMANDS"))
    }
}

@Suite("Help of the verbs")
struct HelpTests {
    @Test(
        "No line of any verb's help is wider than 80 cells",
        arguments: OverlayHostCommand.configuration.subcommands.map { $0.configuration.commandName ?? "" })
    func width(verb: String) throws {
        for words in [[verb], verb == "prefs" ? ["prefs", "set"] : [verb]] {
            let run = try ProgramBench().run(words + ["--help"])
            #expect(run.status == 0)
            for line in run.output.split(separator: "\n") {
                #expect(TerminalText.width(of: String(line)) <= 80, "\(line)")
            }
        }
    }
}
