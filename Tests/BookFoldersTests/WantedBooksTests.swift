import OverlayABI
import OverlayKit
import OverlayKitTesting
import Testing

@testable import BookFolders

@Suite("Books that are asked for by path or uuid are found without a walk")
struct WantedBooksTests {
    let bench = ShelfBench()
    var host: MemoryHost { bench.host }

    init() {
        for number in 0..<20 {
            host.put("Shelf/\(number).epub", bookText("Book \(number)", filler: "\(number)"))
        }
    }

    private func books(_ wanted: [String], unread: Bool = false) throws -> [Book] {
        var books: [Book] = []
        host.operations = []
        try bench.shelf().books(BooksOptions(wanted: wanted, unread: unread)) { books.append($0) }
        return books
    }

    private var walks: Bool { host.operations.contains { $0.hasPrefix("list") } }

    @Test("A path is looked at alone, and read only if its title is needed")
    func path() throws {
        #expect(try books(["Shelf/7.epub"], unread: true).map(\.title) == [nil])
        #expect(host.operations == ["stat /Documents/Shelf/7.epub", "stat /Documents/Shelf"])
        #expect(try books(["Shelf/7.epub", "Shelf/3.epub"]).map(\.title) == ["Book 7", "Book 3"])
        #expect(!walks)
        // The book is known now. The folder takes no round trip of its own.
        let calls = host.calls
        #expect(try books(["Shelf/7.epub"], unread: true).map(\.title) == ["Book 7"])
        #expect(host.operations == ["stat /Documents/Shelf/7.epub", "stat /Documents/Shelf"])
        #expect(host.calls == calls + 1)
    }

    @Test("A uuid that is known from an upload takes no walk, an unknown one does")
    func uuid() throws {
        let uuid = "0a3b6c1e-7f3f-4a59-8a57-0d6b3f0e9a11"
        var item = host.item("x.epub", bookText("Emma"), title: "Emma")
        item.book.uuid = uuid
        #expect(try bench.upload([item]).rows.map(\.path) == ["Emma.epub"])
        #expect(try books(["urn:uuid:" + uuid.uppercased()]).map(\.path) == ["Emma.epub"])
        #expect(!walks)
        #expect(try books(["11111111-7f3f-4a59-8a57-0d6b3f0e9a11"]).count == 21)
        #expect(walks)
    }

    @Test(
        "A file that a walk would skip, or that its path does not identify, needs a walk",
        arguments: [
            "Shelf/99.epub", "Shelf", ".hidden/a.epub", "Inbox/a.epub", "Unpacked.epub/a.epub", "a.dat",
        ])
    func walk(_ path: String) throws {
        bench.options.ignoredFolders = ["Inbox"]
        for file in [".hidden/a.epub", "Inbox/a.epub", "Unpacked.epub/a.epub", "a.dat"] {
            host.put(file, bookText("Other"))
        }
        let paths = try books([path]).map(\.path)
        #expect(walks)
        #expect(paths.count >= 20)
    }

    @Test("A file that has changed since it was looked at takes a walk")
    func changed() throws {
        #expect(try bench.books().count == 20)
        host.put("Shelf/7.epub", bookText("Book 7", filler: "other"))
        #expect(try books(["Shelf/7.epub"]).count == 20)
        #expect(walks)
    }

    @Test("A path through a link is not a book's")
    func link() throws {
        host.put("dl/One.epub", bookText("One"))
        host.links = ["/Documents/dl"]
        #expect(try books(["dl/One.epub"]).map(\.path).contains("dl/One.epub") == false)
        #expect(walks)
    }

    @Test("A name in another Unicode form than the device's is found as the device spells it")
    func otherForm() throws {
        host.files.isDecomposing = true
        host.put("E\u{301}a.epub", bookText("Ea"))
        let composed = "\u{C9}a.epub"
        let decomposed = "E\u{301}a.epub"
        let paths = try books([composed]).compactMap(\.path)
        #expect(paths.contains { $0.utf8.elementsEqual(decomposed.utf8) })
        #expect(!paths.contains { $0.utf8.elementsEqual(composed.utf8) })
        #expect(host.operations.filter { $0 == "list /Documents/Shelf" }.count == 1)
        // The right spelling needs no walk, only the names in the folder.
        #expect(try books([decomposed]).count == 1)
        #expect(host.operations.filter { $0.hasPrefix("list") } == ["list /Documents"])
    }

    @Test("Other books stay in the cache")
    func keepsOthers() throws {
        _ = try bench.books()
        _ = try books(["Shelf/7.epub"])
        host.bytesRead = 0
        #expect(try bench.books().count == 20)
        #expect(host.bytesRead == 0)
    }
}
