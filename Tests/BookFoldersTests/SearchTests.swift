import OverlayKitTesting
import OverlayKit
import Testing

@testable import BookFolders

@Suite("Books are found without searching all of them")
struct SearchTests {
    /// The number of searches through all books in memory while this many are listed and as many added.
    private func passes(_ count: Int) throws -> Int {
        let bench = ShelfBench()
        bench.edits = ShelfEdits(titleRenamesFile: false, collectionMovesFile: false, keepsAuthors: true)
        for index in 0..<count { bench.host.put("\(index % 7)/\(index).pdf", bookText("Book \(index)")) }
        _ = try bench.sync { for index in $0.indices { $0[index].title = "Mine" } }
        // Files with changed notes, and files with new names.
        for index in 0..<count / 2 {
            bench.host.put("\(index % 7)/\(index).pdf", bookText("Book \(index)") + "a highlight")
        }
        let items = (0..<count).map { index in
            bench.host.item(
                "n\(index).pdf", bookText("Book \(index)", filler: "n"), title: "Book", authors: ["\(index)"])
        }
        let scan = try bench.shelf().scan()
        let files = try scan.books()
        _ = try scan.readMetadata(of: files, covers: true)
        #expect(files.map { scan.book($0).title } == Array(repeating: "Mine", count: count))
        let reader = FingerprintReader(scan.host, scan.shelf.place)
        let measured = try items.enumerated().map { index, item in
            let size = try scan.host.transport.localInfo(item.file).size
            return (index: index, size: size, fingerprint: try reader.read(item.file, size: size))
        }
        var plan = try ShelfUploadPlan(
            scan, items, UploadOptions(), ContentDigests(scan), measured: measured)
        for file in measured {
            guard case .send = try plan.step(file, items[file.index]) else {
                Issue.record("Book \(file.index) is not sent.")
                continue
            }
        }
        var changer = ShelfChanger(
            scan, ShelfEdits(titleRenamesFile: true, collectionMovesFile: false, keepsAuthors: true))
        for file in files {
            var book = scan.book(file)
            book.title = "New"
            #expect(try changer.change(file, to: book) != nil)
        }
        return scan.passes
    }

    /// Weakness 28 in docs/weaknesses.md.
    @Test("The number of searches through all books does not grow with the number of books")
    func counted() throws {
        #expect(try passes(10) == passes(200))
    }
}
