import OverlayKit
import Testing

@testable import Marvin

@Suite("The host's booklist follows uploads and deletions without a look at the device")
struct BooklistTests {
    let snapshot = [
        Book(
            path: "a.epub", uuid: "U-1", title: "Tom & Jerry", authors: ["Ann Author"], collections: ["Mine"]),
        Book(path: "b.epub", title: "No uuid", authors: ["Bo"]),
        Book(path: "c.epub", uuid: "u-3", title: "Same", authors: ["X"]),
    ]

    @Test("A new book is inserted with the mark for new books") func inserting() {
        let edits = MarvinBooklist.adding([Book(path: "n.epub", uuid: "n", title: "New")], to: snapshot)
        #expect(
            edits == [
                .insert(
                    Book(
                        path: "n.epub", uuid: "n", title: "New", collections: ["NEW"],
                        format: "application/epub+zip"))
            ])
    }

    @Test("A book is found by path, by uuid in any case, or by title and authors") func finding() {
        func place(_ book: Book) -> Int? { MarvinBookIndex(snapshot).place(of: book) }
        #expect(place(Book(path: "c.epub")) == 2)
        #expect(place(Book(path: "x.epub", uuid: "u-1")) == 0)
        #expect(place(Book(path: "x.epub", uuid: "z", title: "NO UUID!", authors: ["bo"])) == 1)
        #expect(place(Book(path: "x.epub", title: "tom jerry", authors: ["Ann Author"])) == 0)
        #expect(place(Book(path: "x.epub", uuid: "z", title: "No uuid", authors: ["Other"])) == nil)
    }

    @Test("Two editions with different uuids stay two books") func editions() {
        let edits = MarvinBooklist.adding(
            [Book(path: "d.epub", uuid: "u-4", title: "Same", authors: ["X"])], to: snapshot)
        guard case .insert? = edits.first, edits.count == 1 else {
            Issue.record("\(edits)")
            return
        }
    }

    @Test("A replaced book keeps what only Marvin knew") func replacing() {
        var old = snapshot
        old[0].rating = 4
        let edits = MarvinBooklist.adding([Book(path: "a.epub", uuid: "U-1", title: "Neu")], to: old)
        guard case .replace(0, let book)? = edits.first, edits.count == 1 else {
            Issue.record("\(edits)")
            return
        }
        #expect(book.title == "Neu" && book.rating == 4 && book.collections == ["Mine", "NEW"])
    }

    @Test("Two new books for one path make one edit") func onePlace() {
        let twice = [Book(path: "a.epub", title: "1"), Book(path: "a.epub", title: "2")]
        #expect(MarvinBooklist.adding(twice, to: snapshot).count == 1)
        #expect(MarvinBooklist.adding(twice, to: []).count == 1)
    }

    @Test("Deleted paths are removed, and unknown ones are skipped") func removing() {
        #expect(
            MarvinBooklist.removing(["c.epub", "zzz", "a.epub", "a.epub"], from: snapshot) == [
                .remove(0), .remove(2),
            ])
        #expect(MarvinBooklist.removing([], from: snapshot).isEmpty)
    }
}
