import ArgumentParser
import Testing

@testable import OverlayHostCLI

@Suite("Long lists of items in the command line are accepted")
struct SetAsideItemsTests {
    @Test(
        "The parser receives a few words for 30,000 items",
        arguments: [["sniff"], ["upload", "--yes", "--collection", "c"], ["get", "-o", "d", "--"]])
    func few(head: [String]) throws {
        let items = (0..<30_000).map { "folder/file \($0).epub" }
        let short = ArgumentPlaceholders(head + items + ["--json"])
        let isTerminated = head.last == "--"
        #expect(short.words.count < 10)
        let command = try parsed(short)
        let isSame = command.items == (isTerminated ? items + ["--json"] : items)
        #expect(isSame)
        #expect(command.options.json == !isTerminated)
    }

    @Test("The parser receives a few words for an option that is given with each of 30,000 items")
    func fewOptions() throws {
        let uuids = (0..<30_000).map { "uuid \($0)" }
        let words = uuids.enumerated().flatMap { ["--uuid", $1, "file \($0).epub"] }
        let short = ArgumentPlaceholders(["upload", "--collection", "c"] + words + ["--uuid=last", "--yes"])
        #expect(short.words.count < 12)
        let command = try #require(try parsed(short) as? UploadCommand)
        let isSame =
            command.uuid == uuids + ["last"] && command.files == (0..<30_000).map { "file \($0).epub" }
        #expect(isSame)
        #expect(command.collection == ["c"] && command.yes)
    }

    @Test("Items keep their places among options, terminators and stand-ins")
    func places() throws {
        let words = [
            "perform", "-o", "f", "run", "a", "b", "c", "-", "d", "e", "f", "g", "--", "-h", "--", "i", "j",
        ]
        let command = try parsed(ArgumentPlaceholders(words))
        #expect(command.items == ["a", "b", "c", "-", "d", "e", "f", "g", "-h", "--", "i", "j"])
        #expect((command as? PerformCommand)?.command == "run")
        #expect((command as? PerformCommand)?.output == "f")
    }

    @Test("Any command line means the same with and without setting items aside")
    func same() throws {
        var random = SystemRandomNumberGenerator()
        let commands = [
            "sniff", "upload", "get", "delete", "collections", "perform", "simulate", "info", "prefs",
        ]
        let others = [
            "-", "--", "-o", "-q", "-qv", "-h", "--help", "--json", "--add", "--device", "--device=x",
            "--parameter", "--uuid", "--uuid", "--uuid=x", "--uuid=-", "--collection",
            "--bogus", "-1", "help", "sniff", "set", "",
        ]
        // Each run of the tests tries other command lines; parsing one takes long without optimization.
        for round in 0..<18 {
            var words = [commands[round % commands.count]]
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                words.append(
                    Int.random(in: 0..<3, using: &random) == 0
                        ? others.randomElement(using: &random) ?? "" : "item\(words.count)")
            }
            let short = ArgumentPlaceholders(words)
            #expect(meaning(short) == meaning(words), "\(words)")
        }
    }

    @Test(
        "A word that only looks like the repeated option stays where it is",
        arguments: [
            "--uuid a --collection --uuid b f g --uuid c", "--uuid a --uuid b --collection --uuid f",
            "--uuid a --uuid b -- --uuid c", "--uuid a --uuid -q f", "--uuid a --uuid",
            "f --uuid=a g --uuid b",
            "--uuid a f --uuid b --bogus", "--uuid a --uuid b",
        ])
    func similar(_ line: String) {
        let words = ["upload"] + line.split(separator: " ").map(String.init)
        #expect(meaning(ArgumentPlaceholders(words)) == meaning(words))
    }

    private func parsed(_ short: ArgumentPlaceholders) throws -> any ListCommand {
        let command = try #require(try OverlayHostCommand.parseAsRoot(short.words) as? any ProgramCommand)
        return try #require(short.restored(command) as? any ListCommand)
    }

    private func meaning(_ words: [String]) -> String {
        do { return meaning(try OverlayHostCommand.parseAsRoot(words)) } catch {
            return OverlayHostCommand.fullMessage(for: error)
        }
    }

    private func meaning(_ short: ArgumentPlaceholders) -> String {
        do {
            let command = try OverlayHostCommand.parseAsRoot(short.words)
            return (command as? any ProgramCommand).map { meaning(short.restored($0)) } ?? meaning(command)
        } catch {
            return OverlayHostCommand.fullMessage(for: error)
        }
    }

    private func meaning(_ command: Any) -> String {
        guard let command = command as? any ProgramCommand else { return "\(type(of: command))" }
        let output = (command as? GetCommand)?.output ?? (command as? PerformCommand)?.output
        let other =
            "\((command as? PerformCommand)?.command ?? "") \((command as? PerformCommand)?.parameter ?? [])"
        let names =
            "\((command as? CollectionsCommand)?.add ?? []) \((command as? DeleteCommand)?.yes ?? false)"
        let upload =
            "\((command as? UploadCommand)?.uuid ?? []) \((command as? UploadCommand)?.collection ?? [])"
        return
            "\(type(of: command)) \(command.options) \((command as? any ListCommand)?.items ?? []) \(output ?? "") \(other) \(names) \(upload)"
    }
}
