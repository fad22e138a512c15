import OverlayKitTesting
import OverlayKit
import PropertyLists
import Testing

@testable import iBooks

@Suite("A replaced book keeps values that the new one lacks, and its row names what is lost")
struct ReplacingTests {
    private let shelf = BooksShelf()
    private let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 40)

    /// A book that the list describes, and a new file for it with unknown title and authors.
    private func replacement(_ entry: [String: PropertyList]) throws -> UploadItem {
        var values = entry
        values["Path"] = "old.epub"
        var item = shelf.epub("123", "unknown")
        let id = PersistentID.of(uuid: item.book.uuid).map { PropertyList.string($0) }
        values["Persistent ID"] = values["Persistent ID"] ?? id
        try shelf.list("Books.plist", [.dictionary(values)])
        shelf.put("old.epub", "EPUB old")
        (item.book.title, item.book.authors) = (nil, nil)
        return item
    }

    private func replace(
        _ item: UploadItem, mayLoseMarks: Bool = false
    ) throws -> (row: ItemResult, entry: PropertyList) {
        let row = try #require(try shelf.upload([item], .replace, mayLoseMarks: mayLoseMarks).rows.first)
        #expect(row.outcome == .replaced)
        return (row, try #require(try shelf.entries("Books.plist").first))
    }

    @Test("A title stays unless the new file has one", arguments: [nil, "  ", "Emma"])
    func title(_ title: String?) throws {
        var item = try replacement(["Name": "A proper title", "Artist": "Somebody"])
        item.book.title = title
        let entry = try replace(item).entry
        #expect(entry["Name"]?.string == (title == "Emma" ? "Emma" : "A proper title"))
        #expect(entry["Artist"]?.string == "Somebody")
    }

    @Test("A book without any title gets the name of the file, or the title that another list has")
    func noTitle() throws {
        let item = try replacement([:])
        #expect(try replace(item).entry["Name"]?.string == "123")
        try shelf.list("Sync/Books.plist", [["Path": "old.epub", "Name": "From the other list"]])
        _ = try replacement([:])
        #expect(try replace(item).entry["Name"]?.string == "From the other list")
    }

    @Test("Apple's protection goes with the old file")
    func protection() throws {
        let item = try replacement(["Name": "T", "Is Protected": true])
        #expect(try replace(item).entry["Is Protected"]?.boolean == false)
    }

    @Test(
        "Annotations that Books knows by the old content are reported, others go with the book",
        arguments: [
            "0123456789ABCDEF0123456789ABCDEF", PersistentID.of(uuid: "3132330000000000") ?? "", "FFFF",
        ])
    func annotations(asset: String) throws {
        let item = try replacement(["Name": "T", "Package Hash": "0123456789abcdef0123456789abcdef"])
        let root: PropertyList = [
            "x": [
                ["annotationAssetID": .string(asset), "annotationType": 2, "annotationUuid": "1"],
                ["annotationAssetID": .string(asset), "annotationType": 1, "annotationUuid": "2"],
            ]
        ]
        shelf.host.files["/Books/com.apple.ibooks-sync.plist"] = .init(
            bytes: try root.encoded(.binary), modified: 1, created: 1)
        guard asset.count == 32 else {
            #expect(try replace(item).row.message == nil)
            return
        }
        let refused = try shelf.upload([item], .replace).rows
        #expect(refused.map(\.status) == [.needsConsent])
        #expect(refused[0].message == "Replacing the book would lose 1 highlight and 1 bookmark.")
        #expect(
            try replace(item, mayLoseMarks: true).row.message
                == "The old copy was removed, along with 1 highlight and 1 bookmark.")
    }

    @Test("Annotations that cannot be read may be lost, so that replacing needs consent")
    func unreadAnnotations() throws {
        let item = try replacement(["Name": "T", "Package Hash": "0123456789abcdef0123456789abcdef"])
        shelf.host.files["/Books/com.apple.ibooks-sync.plist"] = .init(
            bytes: Array("garbage".utf8), modified: 1, created: 1)
        let refused = try shelf.upload([item], .replace).rows
        #expect(refused.map(\.status) == [.needsConsent])
        #expect(
            refused[0].message
                == "Replacing the book would lose any highlights, notes and bookmarks that cannot be read.")
        _ = try replace(item, mayLoseMarks: true)
    }

    @Test(
        "An id that leads elsewhere is not used as the name of a cover",
        arguments: ["../../x", "a/b", "..", "/\u{301}../x"])
    func idThatLeadsAstray(id: String) throws {
        var item = try replacement(["Name": "T", "Persistent ID": .string(id)])
        (item.book.title, item.book.authors, item.book.coverData) = ("T", ["A"], jpeg)
        try shelf.list(
            "Books.plist",
            [["Path": "old.epub", "Name": "T", "Artist": "A", "Persistent ID": .string(id)]])
        shelf.host.folders.insert("/Books/Sync/Artwork/a")
        let path = try #require(try replace(item).row.path)
        #expect(shelf.books == [path])
        #expect(!shelf.host.operations.contains { $0.hasPrefix("write /Books/Sync/Artwork") })
    }
}
