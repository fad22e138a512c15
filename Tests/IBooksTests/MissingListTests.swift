import OverlayKitTesting
import FoundationEssentials
import OverlayKit
import PropertyLists
import Testing

@testable import iBooks

@Suite("While a list that was there before is missing, nothing is changed")
struct MissingListTests {
    private static let path = "/Books/Books.plist"
    private static let hash = "0123456789ABCDEF0123456789ABCDEF"
    private let shelf = BooksShelf()

    /// Two books that a list names.
    private func fill(_ list: String = "Books.plist") throws {
        shelf.put("a.epub", "EPUB a")
        shelf.put("b.epub", "EPUB b")
        try shelf.list(
            list,
            [
                ["Path": "a.epub", "Name": "A", "Package Hash": .string(Self.hash)],
                ["Path": "b.epub", "Name": "B"],
            ])
    }

    private func requireRefusal(
        _ result: (rows: [ItemResult], error: OverlayError?),
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(result.rows.map(\.status) == [.busy], sourceLocation: sourceLocation)
        #expect(result.error?.status == .busy, sourceLocation: sourceLocation)
        #expect(result.error?.retryable == true, sourceLocation: sourceLocation)
        #expect(result.error?.hint?.contains("Open Books") == true, sourceLocation: sourceLocation)
        #expect(result.error?.subject == Self.path, sourceLocation: sourceLocation)
    }

    @Test("Uploads and deletions are refused, the listing says so, and all goes on when the list is back")
    func seen() throws {
        try fill()
        #expect(try shelf.titles() == ["A", "B"])
        let list = shelf.host.files.removeValue(forKey: Self.path)
        requireRefusal(try shelf.upload([shelf.epub("new", "New")]))
        requireRefusal(try shelf.upload([shelf.epub("a2", "A")], .replace))
        requireRefusal(try shelf.delete(["b.epub"]))
        #expect(shelf.books == ["a.epub", "b.epub"])
        #expect(shelf.host.files[Self.path] == nil)
        shelf.host.warnings = []
        #expect(try shelf.titles().count == 2)
        #expect(shelf.host.warnings.contains { $0.contains(Self.path) && $0.contains("missing") })
        shelf.host.files[Self.path] = list
        #expect(try shelf.upload([shelf.epub("new", "New")]).rows.map(\.outcome) == [.added])
        #expect(try shelf.delete(["b.epub"]).rows.map(\.outcome) == [.deleted])
        #expect(try shelf.titles() == ["A", "New"])
    }

    @Test("A list that an upload has made counts as seen")
    func made() throws {
        #expect(try shelf.upload([shelf.epub("one", "One")]).rows.map(\.outcome) == [.added])
        shelf.host.files[Self.path] = nil
        requireRefusal(try shelf.upload([shelf.epub("two", "Two")]))
        #expect(shelf.books.count == 1)
    }

    @Test("A copy beside the list shows that there was one, also to a computer that has not seen it")
    func copied() throws {
        try fill()
        #expect(try shelf.upload([shelf.epub("new", "New")]).rows.map(\.outcome) == [.added])
        #expect(shelf.copies("Books.plist").count == 1)
        shelf.host.stored = [:]
        shelf.host.files[Self.path] = nil
        requireRefusal(try shelf.upload([shelf.epub("other", "Other")]))
    }

    @Test("If the list and all of its books are gone, as after a restore, books are added")
    func restored() throws {
        try fill()
        _ = try shelf.titles()
        for path in ["Books.plist", "a.epub", "b.epub"] { shelf.host.files["/Books/" + path] = nil }
        #expect(try shelf.upload([shelf.epub("one", "One")]).rows.map(\.outcome) == [.added])
        #expect(try shelf.titles() == ["One"])
    }

    @Test("Files that no list has ever named do not keep books from being added and deleted")
    func neverListed() throws {
        shelf.put("mine.epub", "EPUB\nTitle: Mine")
        #expect(try shelf.titles() == ["Mine"])
        #expect(try shelf.upload([shelf.epub("one", "One")]).rows.map(\.outcome) == [.added])
        #expect(try shelf.delete(["mine.epub"]).rows.map(\.outcome) == [.deleted])
    }

    @Test("A list that has been missing for a day counts as gone")
    func gone() throws {
        try fill()
        _ = try shelf.titles()
        shelf.host.files[Self.path] = nil
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        for (hours, isGone) in [(0.0, false), (23.0, false), (25.0, true)] {
            shelf.now = start.addingTimeInterval(hours * 3600)
            let result = try shelf.upload([shelf.epub("one", "One")])
            if isGone {
                #expect(result.rows.map(\.outcome) == [.added])
            } else {
                requireRefusal(result)
            }
        }
        // From now on, the new list is the one that was there.
        shelf.host.files[Self.path] = nil
        requireRefusal(try shelf.upload([shelf.epub("two", "Two")]))
    }

    @Test("Without a sync's list, books that another list names may be changed")
    func syncList() throws {
        try fill()
        try fill("Sync/Books.plist")
        _ = try shelf.titles()
        shelf.host.files["/Books/Sync/Books.plist"] = nil
        #expect(try shelf.upload([shelf.epub("one", "One")]).rows.map(\.outcome) == [.added])
        #expect(try shelf.delete(["a.epub"]).rows.map(\.outcome) == [.deleted])
    }

    @Test("Annotations count as unreadable, because only the list tells which book they belong to")
    func annotations() throws {
        try fill()
        let options = BooksOptions(withAnnotations: true)
        var found: [[String?]] = []
        try shelf.overlay().books(options) { found.append($0.annotations.map(\.text)) }
        #expect(found == [[], []])
        let list = shelf.host.files.removeValue(forKey: Self.path)
        // There are none that could be missed.
        try shelf.overlay().books(options) { _ in }
        let root: PropertyList = [
            "x": [
                [
                    "annotationAssetID": .string(Self.hash), "annotationType": 2,
                    "annotationSelectedText": "words",
                ]
            ]
        ]
        shelf.host.files[AnnotationReader.paths[0]] = .init(
            bytes: try root.encoded(.binary), modified: 1, created: 1)
        let error = #expect(throws: OverlayError.self) {
            try shelf.overlay().books(options) { _ in Issue.record("a book without its annotations") }
        }
        #expect(error?.status == .busy && error?.retryable == true && error?.subject == Self.path)
        #expect(try shelf.titles().count == 2)
        shelf.host.files[Self.path] = list
        found = []
        try shelf.overlay().books(options) { found.append($0.annotations.map(\.text)) }
        #expect(found == [["words"], []])
    }
}
