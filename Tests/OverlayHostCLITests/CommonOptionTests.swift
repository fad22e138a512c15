import ArgumentParser
import OverlayHost
import Testing

@testable import OverlayHostCLI

@Suite("Commands share their common options")
struct CommonOptionTests {
    /// The arguments that each command needs so that its options are parsed.
    private static let arguments: [String: [String]] = [
        "info": ["x"], "upload": ["x"], "get": ["x"], "delete": ["x"], "update": ["x", "--title", "t"],
        "prefs get": ["k"], "prefs set": ["k", "v"], "prefs unset": ["k"], "perform": ["c"], "sniff": ["x"],
        "fetch": ["x", "--list"], "new": ["x", "--language", "c"], "check": ["x"], "trace show": ["x"],
        "replay": ["x", "y"], "sync": ["x"], "diff": ["x"], "backup": ["x"],
    ]
    /// Options that need a value.
    private static let words: Set<CommonOption> = [.device, .app, .plugins, .prefs, .trace]

    /// The names of all commands that the program declares.
    static let verbs = verbs(of: OverlayHostCommand.self)

    private static func verbs(of command: any ParsableCommand.Type, _ path: [String] = []) -> [String] {
        let below = command.configuration.subcommands
        guard !below.isEmpty else { return [path.joined(separator: " ")] }
        return below.flatMap { verbs(of: $0, path + [$0.configuration.commandName ?? ""]) }
    }

    private func command(_ verb: String, _ more: [String] = []) throws -> any Verb {
        let words = verb.split(separator: " ").map { String($0) } + (Self.arguments[verb] ?? [])
        return try #require(try OverlayHostCommand.parseAsRoot(words + more) as? any Verb)
    }

    private func given(_ option: CommonOption) -> [String] {
        [option.rawValue] + (option == .profile ? ["marvin"] : Self.words.contains(option) ? ["x"] : [])
    }

    @Test("The help of a verb lists the options that it takes, and no others", arguments: verbs)
    func help(verb: String) throws {
        let takes = type(of: try command(verb)).takes
        let run = try ProgramBench().run(verb.split(separator: " ").map { String($0) } + ["--help"])
        #expect(run.status == 0)
        let lines = run.output.split(separator: "\n").map { $0.drop { $0 == " " } }
        for option in CommonOption.allCases {
            let isListed = lines.contains { $0 == option.rawValue || $0.hasPrefix(option.rawValue + " ") }
            #expect(isListed == takes.contains(option), "\(option.rawValue)\n\(run.output)")
        }
    }

    @Test("The help of --profile names all simulated devices")
    func profiles() throws {
        let words = try ProgramBench().run(["books", "--help"]).output.split { $0.isWhitespace }
        #expect(words.joined(separator: " ").contains("iphone (default), marvin or bibdesk."))
    }

    @Test(
        "A command takes the options that it lists, and refuses any other",
        arguments: verbs, CommonOption.allCases)
    func declared(verb: String, option: CommonOption) throws {
        let command = try command(verb, given(option))
        if type(of: command).takes.contains(option) || option.refusal == nil {
            try command.checkOptions()
            return
        }
        let words = verb.split(separator: " ").map { String($0) } + (Self.arguments[verb] ?? [])
        let run = try ProgramBench().run(words + given(option) + ["--json"])
        #expect(run.status == 64)
        #expect(try run.error("code") == "usage")
        #expect(try run.error("subject") == option.rawValue)
        #expect(try run.error("message") == option.refusal)
        #expect(try ProgramBench().run(given(option) + words).status == 64, "before the verb, too")
    }

    @Test(
        "Commands for local files and projects have no device options",
        arguments: [
            "new", "trace show", "sniff", "fetch", "check", "replay", "simulate", "overlays", "prefs list",
        ])
    func none(verb: String) throws {
        let takes = type(of: try command(verb)).takes
        #expect(takes.isDisjoint(with: [.device, .app]))
    }
}
