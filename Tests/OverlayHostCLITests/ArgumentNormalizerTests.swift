import ArgumentParser
import Foundation
import Testing

@testable import OverlayHostCLI

@Suite("Command lines are read as people write them")
struct ArgumentNormalizerTests {
    @Test(
        "Global options may come before the command, and --simulated may have a folder",
        arguments: [
            (["--json", "books"], ["books", "--json"]),
            (["books", "--json"], ["books", "--json"]),
            (
                ["--device", "abc", "--app", "Marvin", "get", "x"],
                ["get", "--device", "abc", "--app", "Marvin", "x"]
            ),
            (["--simulated=/d", "books"], ["books", "--simulated-folder", "/d"]),
            (["books", "--simulated"], ["books", "--simulated"]),
            (["upload", "--", "--simulated=x"], ["upload", "--", "--simulated=x"]),
            (["update", "b", "--series=", "--title=x="], ["update", "b", "--series", "", "--title=x="]),
            (["get", "--", "--series="], ["get", "--", "--series="]),
            (["--help"], ["--help"]),
            (["help", "help"], ["help"]),
            (["help", "help", "books"], ["help", "books"]),
            (["--json", "--version"], ["--json", "--version"]),
            (["--json", "prefs", "get", "key"], ["prefs", "get", "--json", "key"]),
            (["--json", "prefs"], ["prefs", "--json"]),
            (
                ["prefs", "set", "key", "-1", "--prefs", "file"],
                ["prefs", "set", "key", "--prefs", "file", "--", "-1"]
            ),
            (["prefs", "set", "key", "--", "-1"], ["prefs", "set", "key", "--", "-1"]),
            (["prefs", "set", "key", "1"], ["prefs", "set", "key", "1"]),
            ([], []),
            (["--device"], ["--device"]),
        ] as [([String], [String])])
    func normalized(input: [String], output: [String]) {
        #expect(ArgumentNormalizer.normalized(input) == output)
    }

    @Test(
        "A word after an option that takes a value is its value, also with a dash",
        arguments: [
            ["update", "X", "--title", "-Foo"], ["collections", "--add", "-Shelf", "X"],
            ["upload", "-", "--name", "-x.epub"], ["books", "--sort", "-title", "--collection", "-Shelf"],
            ["books", "--search", "-debian"], ["perform", "c", "--parameter", "-debian=1"],
        ])
    func dashes(words: [String]) throws {
        let words = ArgumentNormalizer.normalized(words)
        #expect(ArgumentNormalizer.fileLikeAnOption(words) == nil)
        #expect(try OverlayHostCommand.parseAsRoot(words) is any ProgramCommand)
        #expect(ArgumentNormalizer.fileLikeAnOption(["upload", "--dry-run", "-x.epub"]) == "-x.epub")
    }

    @Test("The options that take a value are those of the parser")
    func options() throws {
        struct Dump: Decodable {
            struct Name: Decodable { var kind, name: String }
            struct Argument: Decodable {
                var kind: String
                var names: [Name]?
            }
            final class Command: Decodable {
                let subcommands: [Command]?
                let arguments: [Argument]?
            }
            var command: Command
        }
        let dump = try JSONDecoder().decode(Dump.self, from: Data(OverlayHostCommand._dumpHelp().utf8))
        var found: Set<String> = []
        var open = [dump.command]
        while let command = open.popLast() {
            open += command.subcommands ?? []
            for argument in command.arguments ?? [] where argument.kind == "option" {
                for name in argument.names ?? [] {
                    found.insert((name.kind == "short" ? "-" : "--") + name.name)
                }
            }
        }
        #expect(found == OptionValues.options)
    }
}
