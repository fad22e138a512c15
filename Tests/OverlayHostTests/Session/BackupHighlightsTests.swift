import BookModel
import Foundation
import HostContract
import Libraries
import TestSupport
import Testing

@testable import OverlayHost

@Suite("A backup keeps the highlights that were gone with their book")
struct BackupHighlightsTests {
    private let folder: TemporaryFolder
    private let backup: BackupFolder

    init() throws {
        folder = try TemporaryFolder()
        backup = BackupFolder(folder.path)
    }

    private func book(_ notes: String...) -> BookRecord {
        var book = BookRecord(path: "a.epub")
        book.title = "A"
        book.annotations = notes.map { Annotation(kind: "note", note: $0) }
        return book
    }

    /// Writes the notes of a book as a run does.
    private func write(
        _ book: BookRecord, _ former: BackupEntry?, areUnread: Bool = false
    ) throws(HostError) -> BackupEntry {
        let request = BackupRequest(folder: folder.path) { book, _ in
            let text = book.annotations.compactMap(\.note).joined(separator: ", ")
            return (markdown: text, json: text)
        }
        let highlights = BackupHighlights(request, app: "Reader", backup)
        var entry = BackupEntry(book.book, folder: "Ann/A", mark: "m", files: former?.files ?? [])
        let saved: SavedAnnotations = book.annotations.isEmpty ? .unexamined : .listed(mark: "1")
        let found = BackupHighlights.Found(book: book, saved: saved, keepsSaved: areUnread)
        try highlights.write(found, &entry, former)
        return entry
    }

    private func text(_ file: BackupFile) -> String? {
        readFile("\(folder.path)/Ann/A/\(file.name)").map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("A book that came back with other notes keeps the former ones beside them")
    func cameBack() throws {
        var saved = try write(book("old"), nil)
        saved.goneSince = 5
        let now = try write(book("new"), saved)
        #expect(now[.highlights].flatMap(text) == "new\n" && now[.annotations].flatMap(text) == "new\n")
        let earlier = now.files.filter { $0.role == .earlierHighlights }
        #expect(
            earlier.map(\.name) == ["highlights until 1970-01-01.md", "highlights until 1970-01-01.json"])
        #expect(earlier.compactMap(text) == ["old\n", "old\n"])
        // With the same notes there is nothing to keep.
        #expect(try write(book("old"), saved).files.count == 2)
    }

    @Test(
        "If it came back without notes, or they cannot be read, they count as gone since then",
        arguments: [true, false])
    func later(areUnread: Bool) throws {
        var saved = try write(book("old"), nil)
        saved.goneSince = 5
        let back = try write(book(), saved, areUnread: areUnread)
        #expect(back.highlightsGoneSince == 5 && back.goneSince == nil)
        let now = try write(book("new"), back)
        #expect(now.files.filter { $0.role == .earlierHighlights }.compactMap(text) == ["old\n", "old\n"])
    }

    @Test("For a program that writes no notes, those of the app are not known, whether or not it has some")
    func withoutFormat() {
        let silent = BackupRequest(folder: folder.path)
        for book in [book(), book("new")] {
            #expect(
                BackupHighlights.annotations(of: book, silent, app: "Reader", canReadWords: true) == .unread)
        }
        let writing = BackupRequest(folder: folder.path) { _, _ in (markdown: "", json: "") }
        #expect(
            BackupHighlights.annotations(of: book(), writing, app: "Reader", canReadWords: true) == .absent)
    }

    @Test("Annotations of the app and those of the copy do not replace each other")
    func otherPlace() throws {
        let listed = try write(book("old"), nil)
        #expect(try write(book("new"), listed).files.count == 2)
        var read = listed
        read.mark = "m-words"
        let now = try write(book("newer"), read)
        #expect(now.mark == "m-1" && now.files.filter { $0.role == .earlierHighlights }.count == 2)
    }

    @Test("A person's file with the name of earlier notes stays")
    func foreign() throws {
        var saved = try write(book("old"), nil)
        saved.goneSince = 5
        let own = "\(folder.path)/Ann/A/highlights until 1970-01-01.md"
        #expect(writeFile(own, Array("mine".utf8)))
        let now = try write(book("new"), saved)
        #expect(
            now.files.filter { $0.role == .earlierHighlights }.map(\.name) == [
                "highlights until 1970-01-01 (2).md", "highlights until 1970-01-01.json",
            ])
        #expect(readFile(own) == Array("mine".utf8))
    }
}
