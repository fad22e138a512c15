import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("A backup keeps saved highlights of a book that has none any more")
struct BooksBackupTests {
    private let bench: BooksBench
    private let target: String

    /// A device with one book, which has a highlight, and a backup of it.
    init() throws {
        bench = try BooksBench(populated: false)
        target = bench.bench.folder.path("backup")
        try bench.books.populate([try BooksBench.library()[0]])
        try highlight("free software")
        #expect(try bench.json("backup", target).status == 0)
    }

    /// Replaces all highlights on the device.
    private func highlight(_ texts: String...) throws {
        try bench.books.write(
            texts.map { SimulatedAnnotation("018FAD7D0C8E0A9B6B0AB9058D59880D", text: $0, uuid: $0) })
    }

    /// The files whose names have an ending, by their names.
    private func files(_ ending: String) throws -> [String: String] {
        var found: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: target) where path.hasSuffix(ending) {
            let name = path.split(separator: "/").last.map { String($0) } ?? ""
            found[name] = try String(contentsOfFile: target + "/" + path, encoding: .utf8)
        }
        return found
    }

    private func action(_ document: Document) throws -> [String?] {
        let app = try #require(document.rows("apps").first)
        return try #require(app["plan"] as? [[String: Any]]).map { $0["action"] as? String }
    }

    private func isWhole() throws -> Bool {
        try bench.bench.json("backup", "--verify", target).status == 0
    }

    @Test("Highlights that the app has no more are kept, and the manifest says since when they are gone")
    func gone() throws {
        let saved = try files(".md").merging(files("highlights.json")) { one, _ in one }
        #expect(saved.count == 2 && saved["highlights.md"]?.contains("free software") == true)
        #expect(try files("manifest.json")["manifest.json"]?.contains("highlights_gone_since") == false)
        try highlight()
        let first = try bench.json("backup", target)
        #expect(try first.status == 0 && action(first) == ["update"], "\(first.errors)")
        #expect(try files(".md").merging(files("highlights.json")) { one, _ in one } == saved)
        #expect(try files("manifest.json")["manifest.json"]?.contains("highlights_gone_since") == true)
        #expect(try isWhole())
        for words in [["backup", target], ["backup", "--repair", target]] {
            let again = try bench.bench.json(words + ["--app", "iBooks"])
            #expect(try again.status == 0 && action(again) == ["keep"], "\(again.errors)")
        }
        try highlight("free software")
        #expect(try bench.json("backup", target).status == 0)
        #expect(try files(".md").merging(files("highlights.json")) { one, _ in one } == saved)
        #expect(try files("manifest.json")["manifest.json"]?.contains("highlights_gone_since") == false)
        #expect(try isWhole())
    }

    @Test("Other highlights that come later do not take the place of those that were gone")
    func replaced() throws {
        let saved = try files(".md")["highlights.md"]
        try highlight()
        #expect(try bench.json("backup", target).status == 0)
        try highlight("something else")
        #expect(try bench.json("backup", target).status == 0)
        let now = try files(".md")
        #expect(now.count == 2 && now["highlights.md"]?.contains("something else") == true)
        let earlier = now.first { $0.key.hasPrefix("highlights until ") }
        #expect(earlier?.value == saved)
        #expect(try isWhole())
        #expect(try action(bench.json("backup", target)) == ["keep"])
    }

    @Test("A kept file that a person has changed is not lost when others take its place")
    func edited() throws {
        try highlight()
        #expect(try bench.json("backup", target).status == 0)
        let path = try #require(
            try FileManager.default.subpathsOfDirectory(atPath: target).first {
                $0.hasSuffix("highlights.md")
            })
        let own = try #require(try files(".md")["highlights.md"]) + "my own words"
        try Data(own.utf8).write(to: URL(fileURLWithPath: target + "/" + path))
        try highlight("something else")
        #expect(try bench.json("backup", target).status == 0)
        #expect(try files(".md").values.contains(own))
        #expect(try isWhole())
    }

    @Test(
        "If the list of highlights cannot be read, a backup keeps those that it has and says so",
        arguments: ["garbage", ""])
    func unreadable(content: String) throws {
        let saved = try files(".md").merging(files("highlights.json")) { one, _ in one }
        try Data(content.utf8).write(
            to: bench.books.folder.appendingPathComponent("com.apple.ibooks-sync.plist"))
        for words in [["backup", target], ["backup", "--repair", target], ["backup", "--dry-run", target]] {
            let document = try bench.bench.json(words + ["--app", "iBooks"])
            #expect(try document.status == 1 && action(document) == ["keep"], "\(document.errors)")
            let error = try #require(document.rows("apps").first?["error"] as? [String: Any])
            #expect(error["code"] as? String == "damaged")
        }
        let text = try bench.bench.run("backup", target, "--app", "iBooks")
        #expect(text.status == 1 && text.errors.contains("Those in the backup are kept"), "\(text.errors)")
        #expect(try files(".md").merging(files("highlights.json")) { one, _ in one } == saved)
        #expect(try isWhole())
        // Neither are they exported as if there were none. Other values of a book are shown.
        let exported = try bench.json("annotations")
        #expect(exported.status == 66 && exported.error("code") == "damaged", "\(exported.errors)")
        #expect(try bench.bench.json("annotations").status != 0)
        #expect(try bench.json("info", "376FAA7E4CF81729.epub").status == 0)
        try highlight("free software")
        let whole = try bench.json("backup", target)
        #expect(try whole.status == 0 && action(whole) == ["keep"], "\(whole.errors)")
    }

    @Test("A kept file of highlights that was damaged is named by --repair")
    func damaged() throws {
        try highlight()
        #expect(try bench.json("backup", target).status == 0)
        let path = try #require(
            try FileManager.default.subpathsOfDirectory(atPath: target).first {
                $0.hasSuffix("highlights.md")
            })
        try Data("x".utf8).write(to: URL(fileURLWithPath: target + "/" + path))
        let repaired = try bench.json("backup", "--repair", target)
        #expect(repaired.status == 1, "\(repaired.errors)")
        #expect(try files(".md")["highlights.md"] == "x")
    }
}
