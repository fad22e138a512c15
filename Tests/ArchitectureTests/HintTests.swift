import Foundation
import Testing

@Suite("Hints can be given in the words of other programs")
struct HintTests {
    /// The command line itself, and code that only it uses. Its own options are correct there.
    private static let commandLine: Set<String> = ["OverlayHostCLI", "Tracing"]

    @Test("A hint that names an option or a command has a code for other programs")
    func codes() throws {
        // An option, or a command that other programs offer in another way.
        let ofCommandLine =
            #/["( ]--[a-z]|overlayhost (prefs|books|apps|collections|sync|upload|delete|update|get)/#
        let hint = #/^[^\/]*\bhint(: |:$| =)/#
        var found = 0
        for (module, files) in try SourceTree().modules where !Self.commandLine.contains(module) {
            for file in files {
                let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
                for (number, line) in lines.enumerated() where line.contains(hint) {
                    // The expression may continue on the next lines, with the code at its end.
                    let expression = lines[number..<min(number + 6, lines.count)].joined(separator: "\n")
                    let text = expression.prefix { $0 != ")" }
                    guard text.contains(ofCommandLine) else { continue }
                    found += 1
                    #expect(
                        expression.contains("hintCode") || expression.contains("hintKind"),
                        "\(module)/\(file.path):\(number + 1)")
                }
            }
        }
        #expect(found > 10)
    }
}
