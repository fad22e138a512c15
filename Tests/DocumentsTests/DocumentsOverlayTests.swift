import BookFolders
import OverlayKitTesting
import OverlayABI
import OverlayKit
import Testing

@testable import Documents

@Suite("Any app with file sharing is served")
struct DocumentsOverlayTests {
    let host = MemoryHost()

    func overlay() throws -> DocumentsOverlay { try DocumentsOverlay(host: host.services()) }

    func books(_ overlay: DocumentsOverlay) throws -> [Book] {
        var books: [Book] = []
        try overlay.books(BooksOptions()) { books.append($0) }
        return books
    }

    func content(_ title: String) -> String { "Title: \(title)\n" + String(repeating: "x", count: 10_000) }

    @Test("The books below the shared folder are listed, with their folders as collections")
    func lists() throws {
        host.put("a.epub", content("A"))
        host.put("Novels/English/b.pdf", content("B"))
        host.put("picture.png", "no book")
        let books = try books(overlay())
        #expect(books.map(\.title) == ["A", "B"])
        #expect(books.map(\.collections) == [[], ["Novels/English"]])
    }

    @Test("The formats are the user's, else the app's, else all known ones")
    func formats() throws {
        let overlay = try overlay()
        #expect(try overlay.settings().formats?.prefix(2) == ["epub", "pdf"])
        host.device.appFormats = ["png", "cbz", "zip", "cbr"]
        #expect(try overlay.settings().formats == ["cbz", "cbr"])
        host.device.appFormats = ["png"]
        #expect(try overlay.settings().formats?.contains("epub") == true)
        host.texts["documents_formats"] = ["TXT", ".Doc"]
        #expect(try overlay.settings().formats == ["txt", "doc"])
        host.put("a.TXT", "text")
        host.put("b.epub", content("B"))
        #expect(try books(overlay).map(\.path) == ["a.TXT"])
    }

    @Test("Folders can be ignored")
    func ignored() throws {
        host.put("Inbox/a.epub", content("A"))
        host.put("b.epub", content("B"))
        host.texts["documents_ignore_folders"] = ["Inbox"]
        #expect(try books(overlay()).map(\.path) == ["b.epub"])
    }

    @Test("A book is added to a collection, renamed, moved out of it, fetched and deleted")
    func everything() throws {
        let overlay = try overlay()
        var rows: [ItemResult] = []
        try overlay.uploadBooks(
            [host.item("x.epub", content("Inside"), title: "Emma")],
            options: UploadOptions(collections: ["Novels"])
        ) { rows.append($0) }
        #expect(rows.map(\.path) == ["Novels/Emma.epub"])
        var book = try #require(try books(overlay).first)
        #expect(book.title == "Emma")
        (book.title, book.collections) = ("Emma, revised", [])
        try overlay.syncBooklists([book]) { rows.append($0) }
        #expect(rows.last?.path == "Emma, revised.epub")
        #expect(host.folders == ["/Documents"])
        var bytes: [UInt8] = []
        try overlay.getFile("Emma, revised.epub") { chunk, _, _ in bytes += chunk }
        #expect(bytes == Array(content("Inside").utf8))
        try overlay.deleteBooks(["Emma, revised.epub"]) { rows.append($0) }
        #expect(rows.map(\.outcome) == [.added, .updated, .deleted])
        #expect(host.documents.isEmpty)
    }

    @Test("An unpacked EPUB is listed with its metadata and fetched as one archive, mimetype first")
    func package() throws {
        host.put("A/Book.epub/OPS/package.opf", "\nTitle: Unpacked\n")
        host.put("A/Book.epub/OPS/large.bin", String(repeating: "x", count: 100_000))
        host.put("A/Book.epub/mimetype", "application/epub+zip")
        host.put("A/Book.epub/META-INF/container.xml", "<container/>")
        let overlay = try overlay()
        let book = try #require(try books(overlay).first)
        #expect(book.path == "A/Book.epub")
        #expect(book.title == "Unpacked")
        #expect(book.size ?? 0 > 100_000)
        #expect(book.collections == ["A"])
        var bytes: [UInt8] = []
        try overlay.getFile("A/Book.epub") { chunk, offset, _ throws(OverlayError) in
            #expect(offset == UInt64(bytes.count))
            bytes += chunk
        }
        #expect(Array(bytes[30..<58]) == Array("mimetypeapplication/epub+zip".utf8))
        #expect(bytes.count < 5_000)
        #expect(bytes.suffix(22).starts(with: [0x50, 0x4B, 5, 6, 0, 0, 0, 0, 4, 0]))
    }

    @Test("Books are fetched together, and one that is a folder is left to be packed alone")
    func fetchedTogether() throws {
        host.put("a.epub", content("A"))
        host.put("A/Book.epub/mimetype", "application/epub+zip")
        host.fault = { operation, path in
            operation == "pull" && path.hasSuffix("Book.epub") ? .invalidArgument : nil
        }
        var rows: [ItemResult] = []
        try overlay().prepareAddableBooks(["a.epub", "A/Book.epub", "none.epub"]) { rows.append($0) }
        #expect(rows.sorted { $0.index < $1.index }.map(\.status) == [.ok, .notSupported, .notFound])
    }

    @Test("If iOS refuses access, every ability is missing, with the reason")
    func refused() throws {
        let overlay = try overlay()
        #expect(try overlay.canHandle(Fingerprint()).answer == .yes)
        #expect(try overlay.settings().missing.isEmpty)
        host.roots[1] = RootAccess(
            root: .documents, granted: false, reason: "It shares no files.", hint: "Ask.")
        let presence = try overlay.canHandle(Fingerprint())
        #expect(presence.answer == .no)
        #expect(presence.reason == .accessRefused)
        #expect(presence.message == "It shares no files.")
        #expect(try overlay.settings().missing.map(\.ability).contains(.books))
        #expect(throws: OverlayError.self) { try books(overlay) }
    }

    @Test("An ejected device is gone until it is unplugged")
    func ejected() throws {
        let overlay = try overlay()
        let device = Fingerprint(vendorID: 0x05AC, serial: "00008020001122334455002E")
        #expect(try overlay.isUSBConnected([device], presenceOnly: false) == 0)
        #expect(try overlay.canHandle(device).answer == .yes)
        try overlay.eject()
        #expect(try overlay.canHandle(device).reason == .ejected)
        #expect(try overlay.isUSBConnected([device], presenceOnly: true) == nil)
        #expect(try overlay.isUSBConnected([], presenceOnly: true) == nil)
        #expect(try overlay.isUSBConnected([device], presenceOnly: true) == 0)
        overlay.postYankCleanup()
        #expect(try overlay.isUSBConnected([device], presenceOnly: true) == nil)
    }

    @Test("The booklist follows uploads and deletions by path")
    func booklist() throws {
        let overlay = try overlay()
        let snapshot = [Book(path: "a.epub", title: "A"), Book(path: "b.epub", title: "B")]
        let edits = try overlay.addBooksToMetadata(
            [
                Book(path: "b.epub", title: "B2"), Book(path: "c.epub", title: "C"),
                Book(path: "c.epub", title: "C2"),
            ],
            snapshot: snapshot)
        #expect(
            edits == [
                .replace(1, Book(path: "b.epub", title: "B2")), .insert(Book(path: "c.epub", title: "C2")),
            ])
        #expect(
            try overlay.removeBooksFromMetadata(["b.epub", "x"], snapshot: snapshot) == [.remove(1)])
    }

    @Test("The overlay implements every method that folders have a use for, and its descriptor is valid")
    func exported() throws {
        let methods = try #require(OverlayExport.entry(for: DocumentsOverlay.self).pointee.methods).pointee
        #expect(methods.books != nil)
        #expect(methods.sync_booklists != nil)
        #expect(methods.settings != nil)
        #expect(methods.prepare_addable_books != nil)
        let descriptor = DocumentsOverlay.descriptor
        #expect(descriptor.traits.contains(.anyFileSharingApp))
        #expect(descriptor.appIDs.isEmpty)
        #expect(Set(descriptor.options.map(\.key)).count == descriptor.options.count)
        for option in descriptor.options {
            #expect(option.key.hasPrefix("documents_"))
            #expect(descriptor.help?.contains(option.key) == true)
        }
    }
}
