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
            ([], []),
            (["--device"], ["--device"]),
        ] as [([String], [String])])
    func normalized(input: [String], output: [String]) {
        #expect(ArgumentNormalizer.normalized(input) == output)
    }
}
