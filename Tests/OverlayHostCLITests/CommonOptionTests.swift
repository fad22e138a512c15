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

    /// The names and types of all commands that the program declares.
    private static let types = leaves(below: OverlayHostCommand.self)
    /// The names of these commands.
    static let commands = types.map(\.command)

    private static func leaves(
        below command: any ParsableCommand.Type, _ path: [String] = []
    ) -> [(command: String, type: any ParsableCommand.Type)] {
        let below = command.configuration.subcommands
        guard !below.isEmpty else { return [(path.joined(separator: " "), command)] }
        return below.flatMap { leaves(below: $0, path + [$0.configuration.commandName ?? ""]) }
    }

    /// The common options of a command.
    private func taken(_ command: String) throws -> Set<CommonOption> {
        try #require(Self.types.first { $0.command == command }?.type as? any ProgramCommand.Type).takes
    }

    private func parsed(_ command: String, _ more: [String] = []) throws -> any ProgramCommand {
        let words = command.split(separator: " ").map { String($0) } + (Self.arguments[command] ?? [])
        return try #require(try OverlayHostCommand.parseAsRoot(words + more) as? any ProgramCommand)
    }

    private func given(_ option: CommonOption) -> [String] {
        [option.rawValue] + (option == .profile ? ["marvin"] : Self.words.contains(option) ? ["x"] : [])
    }

    @Test("The help of a command lists the options that it takes, and no others", arguments: commands)
    func help(command: String) throws {
        let takes = try taken(command)
        let run = try ProgramBench().run(command.split(separator: " ").map { String($0) } + ["--help"])
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

    @Test("A command takes the options that it lists, and refuses any other", arguments: commands)
    func declared(command: String) throws {
        let takes = try taken(command)
        let taking = try parsed(command, CommonOption.allCases.filter { takes.contains($0) }.flatMap(given))
        #expect(taking.options.given.isSuperset(of: takes))
        try taking.checkOptions()
        let refused = CommonOption.allCases.filter { $0.refusal != nil && !takes.contains($0) }
        // The parser is slow without optimization, so all of them are given at once.
        #expect(try parsed(command, refused.flatMap(given)).options.given.isSuperset(of: refused))
        guard let first = refused.first else { return }
        let words = command.split(separator: " ").map { String($0) } + (Self.arguments[command] ?? [])
        let run = try ProgramBench().run(words + refused.flatMap(given) + ["--json"])
        #expect(run.status == 64)
        #expect(try run.error("code") == "usage")
        #expect(try run.error("subject") == first.rawValue)
        #expect(try run.error("message") == first.refusal)
        #expect(try ProgramBench().run(given(first) + words).status == 64, "before the command, too")
    }

    @Test(
        "Commands for local files and projects have no device options",
        arguments: [
            "new", "trace show", "sniff", "fetch", "check", "replay", "simulate", "overlays", "prefs list",
        ])
    func none(command: String) throws {
        #expect(try taken(command).isDisjoint(with: [.device, .app]))
    }
}
