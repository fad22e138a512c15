import ArgumentParser
import OverlayHost
import Testing

@testable import OverlayHostCLI

@Suite("Options that choose a device or an app")
struct DeviceOptionTests {
    /// What each verb needs besides, so that its options are looked at.
    private static let arguments: [String: [String]] = [
        "info": ["x"], "upload": ["x"], "get": ["x"], "delete": ["x"], "update": ["x", "--title", "t"],
        "prefs get": ["k"], "prefs set": ["k", "v"], "prefs unset": ["k"], "perform": ["c"], "sniff": ["x"],
        "fetch": ["x", "--list"], "new": ["x", "--language", "c"], "check": ["x"], "trace show": ["x"],
        "replay": ["x", "y"],
    ]

    /// The names of all verbs, as the program declares them.
    static let verbs = verbs(of: OverlayHostCommand.self)

    private static func verbs(of command: any ParsableCommand.Type, _ path: [String] = []) -> [String] {
        let below = command.configuration.subcommands
        guard !below.isEmpty else { return [path.joined(separator: " ")] }
        return below.flatMap { verbs(of: $0, path + [$0.configuration.commandName ?? ""]) }
    }

    @Test(
        "A verb takes an option that it declares, and refuses any other instead of passing over it",
        arguments: verbs, DeviceOption.allCases)
    func declared(verb: String, option: DeviceOption) throws {
        let words = verb.split(separator: " ").map { String($0) } + (Self.arguments[verb] ?? [])
        let parsed = try OverlayHostCommand.parseAsRoot(words + [option.rawValue, "x"])
        let command = try #require(parsed as? any Verb)
        if type(of: command).deviceOptions.contains(option) {
            try command.checkOptions()
            return
        }
        let run = try ProgramBench().run(words + [option.rawValue, "x", "--json"])
        #expect(run.status == 64)
        #expect(try run.error("code") == "usage")
        #expect(try run.error("subject") == option.rawValue)
        #expect(try run.error("message")?.contains("is not about") == true, "\(run.output)")
        #expect(try ProgramBench().run([option.rawValue, "x"] + words).status == 64, "before the verb, too")
    }

    @Test(
        "Verbs about files and projects of this computer use neither",
        arguments: [
            "new", "trace show", "sniff", "fetch", "check", "replay", "simulate", "overlays", "prefs list",
        ])
    func none(verb: String) throws {
        let words = verb.split(separator: " ").map { String($0) } + (Self.arguments[verb] ?? [])
        let command = try #require(try OverlayHostCommand.parseAsRoot(words) as? any Verb)
        #expect(type(of: command).deviceOptions.isEmpty)
    }
}
