import PropertyLists
import OverlayKitTesting
import OverlayKit
import Testing

@testable import iBooks

@Suite("Two spellings of a name are two books")
struct SpellingTests {
    private let shelf = BooksShelf()
    private let composed = "\u{e9}.epub"
    private let decomposed = "e\u{301}.epub"

    @Test("Both books are listed, and each is deleted alone")
    func deleted() throws {
        try shelf.place(composed, "One", "A", id: "AAAA", "EPUB one")
        try shelf.place(decomposed, "Two", "B", id: "BBBB", "EPUB two")
        #expect(try shelf.titles() == ["One", "Two"])
        #expect(try shelf.delete([composed]).rows.map(\.outcome) == [.deleted])
        #expect(shelf.host.files["/Books/" + composed] == nil)
        #expect(shelf.content(decomposed) == "EPUB two")
        #expect(try shelf.entries("Books.plist").map { $0["Name"]?.string } == ["Two"])
    }

    @Test("Findings about the one book are not used for the other", arguments: [true, false])
    func found(isWarm: Bool) throws {
        shelf.put(composed, "EPUB\nTitle: One")
        let file = try #require(shelf.host.files["/Books/" + composed])
        shelf.host.files["/Books/" + decomposed] = .init(
            bytes: Array("EPUB\nTitle: Two".utf8), modified: file.modified, created: file.created)
        if isWarm { _ = try shelf.titles() }
        #expect(try shelf.titles().sorted() == ["One", "Two"])
        shelf.host.resetCounts()
        #expect(try shelf.titles().sorted() == ["One", "Two"])
        #expect(!shelf.host.operations.contains { $0.hasPrefix("metadata") })
    }

    @Test("A list may spell the name of a file another way")
    func alike() throws {
        try shelf.place(composed, "One", "A", id: "AAAA", "EPUB one")
        shelf.host.files["/Books/" + decomposed] = shelf.host.files.removeValue(forKey: "/Books/" + composed)
        #expect(try shelf.titles() == ["One"])
        #expect(try shelf.delete([decomposed]).rows.map(\.outcome) == [.deleted])
        #expect(try shelf.entries("Books.plist").isEmpty)
    }

    @Test("A purchase that a list names by its folder is one book, however the folder spells its name")
    func purchase() throws {
        shelf.host.files.isDecomposing = true
        shelf.put("Purchases/" + composed, "EPUB one")
        try shelf.list("Books.plist", [["Path": .string("Purchases/" + composed), "Name": "One"]])
        #expect(try shelf.titles() == ["One"])
    }

    @Test("The parts of an unpacked book are found, however its folder spells their names")
    func parts() throws {
        shelf.unpacked("\u{e9}.epub", title: "One")
        let folder = "/Books/\u{e9}.epub/OEBPS/"
        let package = shelf.host.files.removeValue(forKey: folder + "\u{e9}.opf")
        shelf.host.files[folder + "e\u{301}.opf"] = package
        #expect(try shelf.titles() == ["One"])
    }

    @Test("A mark that combines with a slash or a dot does not change the byte before it")
    func marks() throws {
        #expect(SafePath("../\u{301}x.epub") == nil)
        #expect(SafePath("/\u{301}x.epub") == nil)
        let path = try #require(SafePath("Purchases/\u{301}x.epub/"))
        #expect(!path.isName)
        #expect(Array(path.name.utf8) == Array("\u{301}x.epub".utf8))
        #expect(BooksPlist.home(of: path).list == .purchases)
        #expect(SafePath(composed) != SafePath(decomposed))
        #expect(SafePath("x.\u{301}epub")?.fileExtension == "\u{301}epub")
        #expect(SafePath("x.\u{301}epub")?.stem == "x")
    }
}
