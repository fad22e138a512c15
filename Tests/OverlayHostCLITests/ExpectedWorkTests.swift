import ArgumentParser
import Glibc
import OverlayHost
import Testing

@testable import OverlayHostCLI

@Suite("The work that a command line needs is known before it is parsed")
struct ExpectedWorkTests {
    private static let nothing = ExpectedWork(workers: 0)

    private func expected(_ words: String...) -> ExpectedWork {
        let copies = words.compactMap { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return ExpectedWork(copies)
    }

    @Test("Every command that opens a device has work in advance, unless it may need none")
    func deviceCommands() {
        // These look for what keeps a device from being opened.
        let others: Set = ["doctor", "report"]
        var names: [String] = []
        for command in OverlayHostCommand.configuration.subcommands where command is any DeviceCommand.Type {
            names.append(command.configuration.commandName ?? "")
        }
        #expect(names.count > others.count)
        #expect(others.isSubset(of: names))
        #expect(Set(names).subtracting(others).isSubset(of: ExpectedWork.commands.map(\.name)))
    }

    @Test("Every command with work in advance is a command of the program")
    func commands() {
        for (command, _) in ExpectedWork.commands {
            #expect(OverlayHostCommand.subcommand(command) != nil, "\(command)")
        }
    }

    @Test("A command that uses an app needs a worker and the device")
    func session() {
        let session = ExpectedWork(workers: 1, opensDevice: true)
        #expect(expected("books") == session)
        #expect(expected("upload", "a.epub", "--app", "Kindle") == session)
        #expect(expected("df") == ExpectedWork(workers: 0, opensDevice: true))
        #expect(expected("serve") == ExpectedWork(workers: 1))
        #expect(expected("sniff", "books") == Self.nothing)
        #expect(expected("book") == Self.nothing)
        #expect(expected() == Self.nothing)
    }

    @Test(
        "Nothing is started for a simulated device, for overlays in this process, or for a text",
        arguments: ["--simulated", "--simulated=folder", "--watch", "--in-process", "--help", "-h"])
    func exceptions(word: String) {
        #expect(expected("books", word) == Self.nothing)
    }

    @Test("Named devices are not opened in advance, and each needs a worker")
    func devices() {
        #expect(expected("books", "--device", "Anna") == ExpectedWork(workers: 1))
        #expect(expected("upload", "a", "--device=Anna,Ben, Cy") == ExpectedWork(workers: 3))
        #expect(expected("books", "--device", "all") == ExpectedWork(workers: 4))
        let many = Array(repeating: "A", count: 100).joined(separator: ",")
        #expect(expected("books", "--device", many) == ExpectedWork(workers: 32))
        #expect(expected("books", "--device") == Self.nothing)
        #expect(expected("books", "--device=") == Self.nothing)
    }
}
