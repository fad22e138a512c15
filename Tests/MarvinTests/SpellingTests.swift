import MarvinCommands
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("A name that the library, a folder and a person compose in different ways is one name")
struct SpellingTests: UploadsToMarvin {
    let host: MarvinTestHost
    let marvin: FakeMarvin
    private let composed = "caf\u{E9}"
    private let decomposed = "cafe\u{301}"

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
    }

    private func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    @Test("A book whose file is still there does not count as deleted, however its folder spells the name")
    func fileStillThere() throws {
        let names = (1...20).map { "\(composed) \($0).epub" }
        for name in names { try marvin.add(name, uuid: name) }
        host.listsDecomposed = true
        marvin.isHonest = false
        marvin.onCommand = { [marvin] _ in
            for name in names {
                attempt { try marvin.library.run("DELETE FROM Books WHERE UUID = '\(name)'") }
            }
        }
        var rows: [ItemResult] = []
        try host.overlay().deleteBooks(names) { rows.append($0) }
        #expect(rows.map(\.status) == names.map { _ in .verificationFailed })
    }

    @Test("A deleted file counts as deleted although another one looks like it") func lookAlike() throws {
        let names = (1...20).map { "\(composed) \($0).epub" }
        for name in names { try marvin.add(name, uuid: name) }
        try marvin.add("\(decomposed) 1.epub", uuid: "twin")
        var rows: [ItemResult] = []
        try host.overlay().deleteBooks(names) { rows.append($0) }
        #expect(rows.map(\.outcome) == names.map { _ in .deleted })
        #expect(bytes(try marvin.documents()) == bytes(["\(decomposed) 1.epub"]))
    }

    @Test("A book that the library lists with a decomposed name counts as added, under that name")
    func decomposedName() throws {
        let (composed, decomposed) = (composed + ".epub", decomposed + ".epub")
        try marvin.add(composed, uuid: "u-1", content: "old")
        marvin.onCommand = { [marvin] _ in
            attempt { try marvin.library.run("UPDATE Books SET FileName = '\(decomposed)'") }
        }
        let rows = try upload([try item("u-1") { $0.uuid = "u-1" }], .replace)
        #expect(rows.map(\.outcome) == [.replaced], "\(rows)")
        #expect(bytes(rows.compactMap(\.path)) == bytes([decomposed]))
    }

    @Test("A collection that the library has is not created a second time") func existingCollection() throws {
        try marvin.add("a.epub", uuid: "u-a", title: "One")
        try marvin.add("b.epub", uuid: "u-b", title: "Two")
        try marvin.library.setCollections([decomposed], of: "b.epub")
        var rows: [ItemResult] = []
        try host.overlay().syncBooklists([Book(path: "a.epub", collections: [composed])]) { rows.append($0) }
        #expect(rows.map(\.outcome) == [.updated])
        #expect(bytes(marvin.rebuilds.flatMap { $0.books.flatMap(\.collections) }) == bytes([decomposed]))

        let (added, error) = try host.upload(
            [try host.item("u-c", name: "u-c.epub")], UploadOptions(collections: [composed, "New one"]))
        #expect(error == nil && added.map(\.outcome) == [.added])
        guard case .uploadBooks(let command)? = marvin.commands.last else {
            Issue.record("no upload")
            return
        }
        #expect(bytes(command.books.flatMap(\.collections)) == bytes([decomposed, "New one", "NEW"]))
    }

    @Test("What Marvin says about a file counts under either spelling of its name") func remarks() {
        let outcome = CommandOutcome(
            ending: .completedWithWarnings,
            rejections: [Rejection(fileName: decomposed, reason: "no such book")])
        #expect(MarvinMessages(outcome, about: [composed]).about(composed) == "no such book")
    }
}
