import BookFolders
import OverlayKit
import OverlayKitTesting
import Testing

@Suite("A folder with the extension of unpacked books is one only if it contains an unpacked book")
struct PackageNameTests {
    let bench = ShelfBench()
    var host: MemoryHost { bench.host }

    @Test(
        "A collection that would look like an unpacked book is saved under another name",
        arguments: [
            ("Free ebooks.epub", "Free ebooks-epub"), ("A/B.EPUB/C", "A/B-EPUB/C"), ("x.ibooks", "x-ibooks"),
        ])
    func collection(name: String, folder: String) throws {
        let wanted = UploadOptions(collections: [name])
        let (rows, _) = try bench.upload([host.item("1.pdf", bookText("One"), title: "One")], wanted)
        #expect(rows[0].path == folder + "/One.pdf")
        #expect(rows[0].message == "The collection '\(name)' was saved as '\(folder)'.")
        let (more, _) = try bench.upload([host.item("2.pdf", bookText("Two"), title: "Two")], wanted)
        #expect(more[0].path == folder + "/Two.pdf")
        #expect(try bench.books().map(\.collections) == [[folder], [folder]])
        host.put("Three.pdf", bookText("Three"))
        let moved = try bench.sync { books in
            for index in books.indices where books[index].path == "Three.pdf" {
                books[index].collections = [name]
            }
        }
        #expect(moved.map(\.path) == [folder + "/Three.pdf"])
    }

    @Test("A folder of books that has such a name already is a collection")
    func folder() throws {
        host.put("Free.epub/a.pdf", bookText("A"))
        host.put("Free.epub/Deep/b.pdf", bookText("B"))
        host.put("Book.epub/mimetype", "application/epub+zip")
        #expect(try bench.books().map(\.path) == ["Book.epub", "Free.epub/a.pdf", "Free.epub/Deep/b.pdf"])
        let (rows, _) = try bench.upload(
            [host.item("c.pdf", bookText("C"), title: "C")], UploadOptions(collections: ["Free.epub"]))
        #expect(rows[0].path == "Free.epub/C.pdf")
        #expect(rows[0].message == nil)
        let (deleted, _) = try bench.delete(["Free.epub", "Book.epub"])
        #expect(deleted.map(\.status) == [.notSupported, .ok])
        #expect(host.documents == ["Free.epub/C.pdf", "Free.epub/Deep/b.pdf", "Free.epub/a.pdf"])
        #expect(throws: OverlayError.self) {
            try bench.shelf().read("Free.epub") { _, _, _ throws(OverlayError) in }
        }
    }
}
