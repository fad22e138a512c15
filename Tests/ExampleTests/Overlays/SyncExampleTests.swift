import Foundation
import TestSupport
import Testing

@Suite("The example that syncs both ways brings a folder and its app together")
struct SyncExampleTests {
    private let shop: Workshop
    private let options = ["--plugins", "plugins", "--simulated=device"]

    init() throws {
        shop = try Workshop()
        let example = sourceFolder.appendingPathComponent("Examples/sync")
        try FileManager.default.copyItem(
            at: example.appendingPathComponent("device"), to: shop.folder.url.appendingPathComponent("device")
        )
        try compileC(example.appendingPathComponent("jotter.c"), to: "plugins/jotter.so", in: shop)
        try FileManager.default.createDirectory(
            atPath: shop.folder.path("notes"), withIntermediateDirectories: true)
        try write("notes/Hello.txt", "Hello.\n")
    }

    private func write(_ path: String, _ text: String) throws {
        try Data(text.utf8).write(to: shop.folder.url.appendingPathComponent(path))
    }

    private func read(_ path: String) throws -> String {
        try String(contentsOf: shop.folder.url.appendingPathComponent(path), encoding: .utf8)
    }

    private func onDevice(_ name: String) -> String {
        "device/Containers/org.example.jotter/Documents/\(name)"
    }

    private func sync(_ more: String...) throws -> [String: Any] {
        try shop.document(["sync", "notes"] + options + more)
    }

    @Test(
        "New notes go both ways, in workers and in this process, a dry run changes nothing, and nothing is done twice",
        .enabled(if: programIsInstalled("cc"), "no C compiler: the example is not tested"),
        arguments: [[], ["--in-process"]])
    func bothWays(_ mode: [String]) throws {
        let dry = try shop.document(["sync", "notes", "--dry-run"] + options + mode)
        #expect(texts(dry, "plan", "item") == ["Hello.txt", "Shopping.txt"])
        #expect(texts(dry, "plan", "changes") == ["device", "source"])
        #expect(dry["results"] == nil)
        #expect(!shop.has("notes/Shopping.txt") && !shop.has(onDevice("Hello.txt")))
        let first = try shop.document(["sync", "notes"] + options + mode)
        #expect(texts(first, "results", "status") == ["added", "added"])
        #expect(try read(onDevice("Hello.txt")) == "Hello.\n")
        #expect(try read("notes/Shopping.txt") == read(onDevice("Shopping.txt")))
        let second = try shop.document(["sync", "notes"] + options + mode)
        #expect(texts(second, "plan", "action") == ["keep", "keep"])
        #expect(texts(second, "results", "status") == [])
    }

    @Test(
        "A change goes to the other side with a backup, two changes are a conflict, and deletions need --delete",
        .enabled(if: programIsInstalled("cc"), "no C compiler: the example is not tested"))
    func changes() throws {
        _ = try sync()
        try write("notes/Hello.txt", "Hello again.\n")
        try write(onDevice("Shopping.txt"), "Bread and butter.\n")
        #expect(texts(try sync(), "results", "status") == ["replaced", "replaced"])
        #expect(try read(onDevice("Hello.txt")) == "Hello again.\n")
        #expect(try read("notes/Shopping.txt") == "Bread and butter.\n")
        #expect(shop.has("notes/.Shopping.txt.overlayhost-backup"))
        try write("notes/Hello.txt", "Mine is this.\n")
        try write(onDevice("Hello.txt"), "Theirs is another one.\n")
        let conflict = try shop.overlayhost("sync", "notes", "--plugins", "plugins", "--simulated=device")
        #expect(conflict.status == 1, "\(conflict.output)\(conflict.errors)")
        #expect(try read("notes/Hello.txt") == "Mine is this.\n")
        try FileManager.default.removeItem(atPath: shop.folder.path(onDevice("Shopping.txt")))
        #expect(texts(try sync(), "plan", "action") == ["conflict", "keep"])
        #expect(shop.has("notes/Shopping.txt"))
        #expect(texts(try sync("--delete"), "results", "status") == ["skipped", "deleted"])
        #expect(!shop.has("notes/Shopping.txt"))
    }

    @Test(
        "The example keeps the rules of the contract, and its calls can be recorded",
        .enabled(if: programIsInstalled("cc"), "no C compiler: the example is not tested"))
    func rules() throws {
        let check = try shop.overlayhost("check", "plugins/jotter.so")
        #expect(check.status == 0, "\(check.output)\(check.errors)")
        _ = try shop.document(["sync", "notes", "--trace", "calls.trace"] + options)
        let replay = try shop.overlayhost("replay", "calls.trace", "plugins/jotter.so")
        #expect(replay.status == 0, "\(replay.output)\(replay.errors)")
    }
}
