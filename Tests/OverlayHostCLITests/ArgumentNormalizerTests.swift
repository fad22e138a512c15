import Testing

@testable import OverlayHostCLI

@Suite("Command lines as people write them")
struct ArgumentNormalizerTests {
    @Test(
        "Global options may stand before the verb, and --simulated may carry a folder",
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
        "What follows an option for text is its value, also behind a dash",
        arguments: [
            ["books", "--search", "-debian"], ["books", "--sort", "-title"],
            ["update", "b", "--title", "-debian"], ["collections", "--add", "-debian", "b"],
            ["perform", "c", "--parameter", "-debian=1"],
        ])
    func dashValues(words: [String]) throws {
        #expect(ArgumentNormalizer.fileLikeAnOption(words) == nil)
        #expect(try OverlayHostCommand.parseAsRoot(words) is any Verb)
    }

    @Test(
        "Every option that may have a value behind a dash is taken so by a verb",
        arguments: ArgumentNormalizer.textOptions)
    func textOptions(option: String) {
        let verbs = [["books"], ["update", "b"], ["collections", "b"], ["perform", "c"]]
        let takers = verbs.filter { verb in
            do {
                return try OverlayHostCommand.parseAsRoot(
                    verb + [option, option == "--parameter" ? "-title=1" : "-title"]) is any Verb
            } catch {
                return false
            }
        }
        #expect(!takers.isEmpty)
    }
}
