import BookFolders
import Foundation
import OverlayKit
import TestSupport
import Testing
import UploadPlanning

@testable import Marvin

@Suite("Editions of a book have the same result in one upload as in two")
struct UploadEditionTests: UploadsToMarvin {
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
    }

    @Test(
        "Two files of one upload with the same title and authors are one book",
        arguments: [ConflictPolicy.protect, .update, .replace])
    func sameTitleAndAuthors(conflict: ConflictPolicy)
        throws
    {
        func twin(_ uuid: String) throws -> UploadItem {
            try item(uuid) {
                $0.title = "Same"
                $0.authors = ["A"]
            }
        }
        let rows = try upload([twin("u-1"), twin("u-2")], conflict)
        let isLast = conflict == .replace
        #expect(rows.map(\.outcome) == (isLast ? [.skipped, .added] : [.added, .skipped]))
        #expect(
            rows[isLast ? 0 : 1].message
                == (isLast ? DuplicateMessages.later : DuplicateMessages.earlier))
        #expect(try marvin.documents() == [isLast ? "u-2.epub" : "u-1.epub"])
    }

    @Test("The last of two editions replaces a book of the library, and both rows name it")
    func lastEditionReplaces() throws {
        try marvin.add("there.epub", uuid: "o", title: "Same", author: "A", content: "old")
        func edition(_ uuid: String, _ text: String) throws -> UploadItem {
            var item = try host.item(uuid, ZipFixture.epub(text), name: "\(uuid).epub")
            (item.book.title, item.book.authors) = ("Same", ["A"])
            return item
        }
        let items = [try edition("u-1", "one"), try edition("u-2", "two, longer")]
        let rows = try upload(items, .protect)
        #expect(rows.map(\.outcome) == [.skipped, .skipped])
        #expect(rows.allSatisfy { $0.message?.contains("with different content") == true })
        let replaced = try upload(items, .replace)
        #expect(replaced.map(\.outcome) == [.skipped, .replaced])
        #expect(replaced[0].message == DuplicateMessages.later)
        #expect(try marvin.documents() == ["there.epub"])
        #expect(try content("there.epub") == Data(ZipFixture.epub("two, longer")))
    }

    @Test("A later edition fails with an earlier one that could not replace the book")
    func sharedFailure() throws {
        try marvin.add("there.epub", uuid: "u-1", title: "Final Title", author: "A")
        try marvin.library.run("DROP TABLE BookCollections")
        let rows = try upload([final("u-1"), final("u-2")], .replace)
        #expect(rows.map(\.outcome) == [.failed, .failed])
        #expect(rows.map(\.status) == [.notSupported, .notSupported])
        #expect(try marvin.documents() == ["there.epub"])
    }

    private func final(_ uuid: String) throws -> UploadItem {
        try item(uuid) {
            $0.title = "Final Title"
            $0.authors = ["A"]
        }
    }

    @Test("A later edition takes the place of an earlier one in the library under another title")
    func otherTitle() throws {
        try marvin.add("old.epub", uuid: "u-1", title: "Working Title", author: "A", content: "old")
        let rows = try upload([final("u-1"), final("u-2")], .replace)
        #expect(rows.map(\.outcome) == [.skipped, .replaced])
        #expect(rows.map(\.path) == ["old.epub", "old.epub"])
        #expect(try marvin.documents() == ["old.epub"])
        #expect(try content("old.epub") == Data(ZipFixture.epub("u-2")))
    }

    @Test("A later edition deletes the book that an earlier one would have superseded")
    func superseded() throws {
        try marvin.add("comic.cbz", uuid: "u-1", title: "Working Title", content: "old")
        let rows = try upload([final("u-1"), final("u-2")], .replace)
        #expect(rows.map(\.outcome) == [.skipped, .replaced])
        #expect(try marvin.documents() == ["u-2.epub"])
    }

    @Test(
        "A book that an earlier item replaces is not there any more for a later one with its old content")
    func givenWay() throws {
        try marvin.add("old.epub", uuid: "u-1", title: "Working Title", author: "A", content: "old")
        try Data(ZipFixture.epub("u-2")).write(to: host.url("Documents/old.epub"))
        func edition(_ uuid: String, _ title: String) throws -> UploadItem {
            try item(uuid) {
                $0.title = title
                $0.authors = ["A"]
            }
        }
        let items = [try edition("u-1", "One"), try edition("u-2", "Two"), try edition("u-3", "One")]
        let rows = try upload(items, .replace)
        #expect(rows.map(\.outcome) == [.skipped, .added, .replaced])
        #expect(try marvin.documents() == ["old.epub", "u-2.epub"])
        #expect(try content("old.epub") == Data(ZipFixture.epub("u-3")))
    }

    @Test(
        "After a book, another edition and the same book again, the library has the book",
        arguments: [true, false])
    func thereAndBack(isThere: Bool) throws {
        if isThere { try marvin.add("u-1.epub", uuid: "u-1", title: "Same", author: "A", content: "old") }
        func edition(_ uuid: String) throws -> UploadItem {
            try item(uuid) {
                $0.title = "Same"
                $0.authors = ["A"]
            }
        }
        let rows = try upload([edition("u-1"), edition("u-2"), edition("u-1")], .replace)
        #expect(rows.map(\.outcome) == [.skipped, .skipped, isThere ? .replaced : .added])
        #expect(rows.map(\.path) == ["u-1.epub", "u-1.epub", "u-1.epub"])
        #expect(try marvin.documents() == ["u-1.epub"])
        #expect(try content("u-1.epub") == Data(ZipFixture.epub("u-1")))
    }
}
