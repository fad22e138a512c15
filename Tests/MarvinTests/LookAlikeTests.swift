import MarvinCommands
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("Two names that look alike but have other bytes are two books")
struct LookAlikeTests {
    /// "é" as one scalar, and as a letter with an accent: equal in Swift, but two files on a device.
    let composed = "caf\u{E9}.epub"
    let decomposed = "cafe\u{301}.epub"

    private func bytes(_ names: [String]) -> [[UInt8]] { names.map { Array($0.utf8) } }

    @Test("The two spellings are equal in Swift and different on the device") func spellings() {
        #expect(composed == decomposed)
        #expect(composed.bytes != decomposed.bytes)
    }

    @Test("The library has both, and deleting one leaves the other") func deletingOne() throws {
        let host = try MarvinTestHost(TemporaryFolder())
        let marvin = try FakeMarvin(host)
        try marvin.add(composed, uuid: "u-1")
        try marvin.add(decomposed, uuid: "u-2")
        var listed: [String] = []
        try host.overlay().books(BooksOptions()) { (book) throws(OverlayError) in
            listed.append(book.path ?? "")
        }
        #expect(bytes(listed) == bytes([composed, decomposed]))
        var rows: [ItemResult] = []
        try host.overlay().deleteBooks([decomposed]) { rows.append($0) }
        #expect(rows.map(\.outcome) == [.deleted])
        #expect(bytes(try marvin.documents()) == bytes([composed]))
        #expect(bytes(marvin.commands.first?.fileNames ?? []) == bytes([decomposed]))
        rows = []
        try host.overlay().deleteBooks([composed, decomposed]) { rows.append($0) }
        #expect(Set(rows.map { [$0.index, $0.outcome == .deleted ? 1 : 0] }) == [[0, 1], [1, 0]])
    }

    @Test("Both can be replaced in one upload") func replacingBoth() throws {
        let library = [
            LibraryBook(id: 1, fileName: composed, uuid: "u-1"),
            LibraryBook(id: 2, fileName: decomposed, uuid: "u-2"),
        ]
        var plan = LibraryUploadPlan(UploadOptions(onConflict: .replace), of: [], LibraryEvidence(library))
        var names: [String] = []
        for (index, uuid) in ["u-1", "u-2"].enumerated() {
            let item = UploadItem(file: HostFile(rawValue: 1), name: "x.epub", book: Book(uuid: uuid))
            guard case .send(let planned, _) = try plan.step(index, item, size: 1) else {
                Issue.record("item \(index) is not sent")
                return
            }
            names.append(planned.name)
        }
        #expect(bytes(names) == bytes([composed, decomposed]))
    }

    @Test("The host's booklist keeps them apart") func booklist() {
        let snapshot = [Book(path: composed), Book(path: decomposed)]
        #expect(MarvinBooklist.removing([decomposed], from: snapshot) == [.remove(1)])
        #expect(MarvinBookIndex(snapshot).place(of: Book(path: decomposed)) == 1)
        #expect(MarvinBooklist.adding(snapshot, to: []).count == 2)
    }

    @Test("What Marvin says about one does not appear for the other") func remarks() {
        let message = "[\(decomposed)] no such book"
        let outcome = CommandOutcome(
            ending: .completedWithWarnings,
            rejections: [Rejection(message: message, fileNames: [composed, decomposed])])
        let remarks = MarvinMessages(outcome, about: [composed, decomposed])
        #expect(remarks.about(decomposed) == "no such book")
        #expect(remarks.about(composed) == nil)
    }
}
