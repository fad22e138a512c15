import BookModel
import Platform
import Testing

@testable import Libraries

@Suite("A plan says what a backup does with each book, and why")
struct BackupPlannerTests {
    private var blank: BackupManifest { BackupManifest(device: "D", deviceName: nil, app: "A", appName: "A") }

    private func book(
        _ path: String, size: UInt64? = 10, date: Int64? = 1, uuid: String? = nil, content: String? = nil,
        cover: UInt64? = nil
    ) -> Book {
        Book(
            path: path, uuid: uuid, title: path, authors: ["Ann"], dateAdded: date, size: size,
            coverMediaType: cover.map { _ in "image/png" }, coverSize: cover, contentID: content)
    }

    /// A complete backup of these books, each with the mark `m`.
    private func backup(_ books: Book..., without: Set<BackupFile.Role> = []) -> BackupManifest {
        var manifest = blank
        manifest.entries = books.map { book in
            let files = [BackupFile.Role.book, .metadata].filter { !without.contains($0) }.map {
                BackupFile($0, name: $0.rawValue, size: 1, digest: "")
            }
            return BackupEntry(book, folder: "Ann/\(book.path ?? "")", mark: "m", files: files)
        }
        return manifest
    }

    private func plan(
        _ books: [Book], _ manifest: BackupManifest, mark: String = "m", copies: Bool = true,
        missing: Set<BackupFile.Role> = [], title: String = "Title", taken: Set<String> = []
    ) -> [BackupStep] {
        BackupPlanner.plan(
            books, manifest, describe: { _ in BackupDescription(mark: mark, author: "Ann", title: title) },
            copies: copies, isWhole: { !missing.contains($1.role) }, isFree: { !taken.contains($0) })
    }

    private func actions(_ steps: [BackupStep]) -> [BackupAction] { steps.map(\.row.action) }

    @Test("A new book is copied, and then kept")
    func new() {
        let first = plan([book("a"), book("b")], blank)
        #expect(actions(first) == [.fetch, .fetch] && first.map(\.row.bytes) == [10, 10])
        #expect(actions(plan([book("a"), book("b")], backup(book("a"), book("b")))) == [.keep, .keep])
    }

    @Test(
        "A further paper is copied if it is new, if it changed, or if its copy is missing, and the book itself is not"
    )
    func papers() throws {
        func plan(_ manifest: BackupManifest, _ papers: [BackupPaper], missing: String = "") -> BackupStep {
            BackupPlanner.plan(
                [book("a")], manifest,
                describe: { _ in BackupDescription(mark: "m", author: "Ann", title: "a") },
                papers: { _ in papers }, isWhole: { $1.name != missing })[0]
        }
        let paper = BackupPaper(path: "p", mark: "1", size: 5)
        let first = plan(blank, [paper])
        #expect(first.row.action == .fetch && first.copiesBook && first.papers == [paper])
        #expect(first.row.bytes == 15)
        var manifest = backup(book("a"))
        #expect(plan(manifest, [paper]).papers == [paper] && !plan(manifest, [paper]).copiesBook)
        manifest.entries[0].take(BackupFile(.paper, name: "a - p", size: 5, digest: "", paper: paper))
        #expect(plan(manifest, [paper]).row.action == .keep)
        #expect(plan(manifest, []).row.action == .keep)
        let changed = BackupPaper(path: "p", mark: "2", size: 6)
        #expect(plan(manifest, [changed]).papers == [changed])
        let missing = plan(manifest, [paper], missing: "a - p")
        #expect(missing.row.action == .fetch && missing.papers == [paper] && missing.row.bytes == 5)
        // Its entry is read back unchanged, and is invalid without its path.
        let read = try #require(BackupEntry(manifest.entries[0].json))
        #expect(read.copy(ofPaper: "p")?.paper?.mark == "1" && read.files.count == 3)
        var broken = manifest.entries[0]
        broken.files[2].paper = nil
        #expect(BackupEntry(broken.json) == nil)
    }

    @Test(
        "A file that the device lists with another size, time or content is copied again",
        arguments: [
            Book(path: "a", title: "a", authors: ["Ann"], dateAdded: 1, size: 11),
            Book(path: "a", title: "A", authors: ["ann", "Bea"], dateAdded: 2, size: 10),
            Book(path: "a", title: "a", authors: ["Ann"], dateAdded: 1, size: 10, contentID: "other"),
        ])
    func changed(now: Book) {
        let former = book("a", content: "one")
        let steps = plan([now], backup(former))
        #expect(actions(steps) == [.fetch] && steps[0].entry == 0 && steps[0].row.folder == "Ann/a")
        #expect(steps[0].row.reason == "The file changed on the device.")
    }

    @Test(
        "The same content is not copied again, regardless of the time; without size and time a book always is"
    )
    func unknown() {
        let former = backup(book("a", content: "one"))
        #expect(actions(plan([book("a", date: 9, content: "one")], former)) == [.keep])
        let vague = backup(book("a", size: nil, date: nil))
        #expect(actions(plan([book("a", size: nil, date: nil)], vague)) == [.fetch])
        #expect(actions(plan([book("a", size: nil)], backup(book("a", size: nil)))) == [.keep])
    }

    @Test("A damaged copy of a book whose file the app does not provide is reported on request")
    func withheld() {
        func step(_ namesLost: Bool, copies: Bool) -> BackupStep {
            BackupPlanner.plan(
                [book("a")], backup(book("a")),
                describe: { _ in BackupDescription(mark: "m", author: "Ann", title: "T") }, copies: copies,
                isWhole: { $1.role != .book }, namesLost: namesLost
            )[0]
        }
        #expect(step(true, copies: false).isLost && !step(false, copies: false).isLost)
        #expect(!step(true, copies: true).isLost && step(true, copies: true).copiesBook)
    }

    @Test("A damaged copy of a book that is gone is reported on request")
    func lost() {
        func gone(_ namesLost: Bool, missing: BackupFile.Role?) -> BackupStep? {
            BackupPlanner.plan(
                [Book](), backup(book("a")),
                describe: { _ in BackupDescription(mark: "m", author: "Ann", title: "T") },
                isWhole: { $1.role != missing }, namesLost: namesLost
            ).first
        }
        #expect(gone(true, missing: .book)?.isLost == true)
        #expect(
            gone(true, missing: .book)?.row.reason
                == "Its copy is missing or damaged, and it is no longer on the device.")
        #expect(
            gone(true, missing: .metadata)?.row.reason
                == "Its file 'metadata' is missing or damaged, and the book is no longer on the device.")
        #expect(gone(false, missing: .book)?.isLost == false && gone(true, missing: nil)?.isLost == false)
    }

    @Test("Other metadata, another cover and a missing small file need no copy")
    func described() {
        let whole = backup(book("a", cover: 5))
        #expect(actions(plan([book("a", cover: 5)], whole)) == [.keep])
        #expect(actions(plan([book("a", cover: 5)], whole, mark: "n")) == [.update])
        #expect(actions(plan([book("a", cover: 6)], whole)) == [.update])
        #expect(actions(plan([book("a", cover: 5)], whole, missing: [.metadata])) == [.update])
        #expect(actions(plan([book("a")], backup(book("a"), without: [.metadata]))) == [.update])
    }

    @Test("A copy that is missing or damaged, or was never made, is made again")
    func lostCopy() {
        #expect(actions(plan([book("a")], backup(book("a")), missing: [.book])) == [.fetch])
        let never = backup(book("a"), without: [.book])
        #expect(actions(plan([book("a")], never)) == [.fetch])
        // An app that does not give files is not asked for them.
        #expect(actions(plan([book("a")], never, copies: false)) == [.keep])
        #expect(actions(plan([book("b")], blank, copies: false)) == [.update])
    }

    @Test("A moved book is recognised, unless two books look alike")
    func moved() {
        let former = backup(book("a", uuid: "u", content: "one"), book("b", uuid: "v"))
        let steps = plan([book("x", uuid: "U"), book("y", content: "one")], former)
        #expect(actions(steps) == [.fetch, .keep, .gone])
        #expect(steps[1].entry == 0 && steps[2].row.path == "b")
        #expect(actions(plan([book("x", uuid: "V")], backup(book("b", uuid: "v")))) == [.keep])
        let twins = backup(book("b", uuid: "v"), book("c", uuid: "v"))
        #expect(actions(plan([book("x", uuid: "v")], twins)) == [.fetch, .gone, .gone])
    }

    @Test("Another book at the path of a former one is a new book; the former one is gone and stays")
    func replaced() {
        let steps = plan([book("a", size: 20, uuid: "new")], backup(book("a", uuid: "old")))
        #expect(actions(steps) == [.fetch, .gone])
        #expect(steps[0].entry == nil && steps[0].row.folder != steps[1].row.folder)
        // The same bytes are the same book under any name.
        let same = plan([book("a", uuid: "new", content: "c")], backup(book("a", uuid: "old", content: "c")))
        #expect(actions(same) == [.keep])
    }

    @Test("Without uuids another file at the path of a book that was gone is a new book")
    func replacedWithoutUUID() {
        var manifest = backup(book("scan.pdf", size: 10, date: 1))
        manifest.entries[0].goneSince = 5
        #expect(actions(plan([book("scan.pdf", size: 11, date: 9)], manifest)) == [.fetch, .gone])
        #expect(actions(plan([book("scan.pdf", size: 10, date: 9)], manifest)) == [.fetch, .gone])
        #expect(actions(plan([book("scan.pdf", size: 10, date: 1)], manifest)) == [.keep])
    }

    @Test("A path that two books without uuids take in turn has two entries, and each comes back as itself")
    func inTurn() {
        var manifest = backup(book("scan.pdf", size: 10, date: 1), book("scan.pdf", size: 11, date: 2))
        manifest.entries[0].goneSince = 5
        let back = plan([book("scan.pdf", size: 10, date: 1)], manifest)
        #expect(actions(back) == [.keep, .gone] && back[0].entry == 0)
        let there = plan([book("scan.pdf", size: 11, date: 2)], manifest)
        #expect(actions(there) == [.keep, .gone] && there[0].entry == 1)
    }

    @Test("Without uuids a changed book at the same path is another one if title or authors are others")
    func replacedAtOnce() {
        let manifest = backup(book("x.epub"))
        var other = book("x.epub", size: 11)
        #expect(actions(plan([other], manifest)) == [.fetch])
        other.title = "Two"
        #expect(actions(plan([other], manifest, title: "Two")) == [.fetch, .gone])
        other.authors = ["Bea"]
        let steps = plan([other], manifest, title: "Two")
        #expect(actions(steps) == [.fetch, .gone] && Set(steps.map(\.row.folder)).count == 2)
        other.size = 10
        #expect(actions(plan([other], manifest)).contains(.gone) == false)
    }

    @Test("A path belongs to the last book that had it")
    func twoAtOnePath() {
        var former = backup(book("a", uuid: "old"), book("a", size: 20, uuid: "new"))
        former.entries[0].goneSince = 5
        let steps = plan([book("a", size: 20, uuid: "new")], former)
        #expect(actions(steps) == [.keep, .gone] && steps[0].entry == 1)
        former.entries.reverse()
        #expect(plan([book("a", size: 20, uuid: "new")], former)[0].entry == 0)
        #expect(plan([book("a", size: 20)], former)[0].entry == 0)
    }

    @Test("A book that is gone stays, and is the same when it comes back")
    func gone() {
        var former = backup(book("a"))
        let steps = plan([], former)
        #expect(actions(steps) == [.gone] && steps[0].row.reason == "It is no longer on the device.")
        former.entries[0].goneSince = 5
        #expect(plan([], former)[0].row.reason == nil)
        #expect(actions(plan([book("a")], former)) == [.keep])
    }

    @Test("No two folders are the same on a file system that ignores case or normalises names")
    func names() {
        let books = [book("a"), book("b"), book("c")]
        #expect(plan(books, blank).map(\.row.folder) == ["Ann/Title", "Ann/Title (2)", "Ann/Title (3)"])
        var names = BackupNames()
        names.insert("ANN/CAFE\u{301}")
        #expect(names.folder(author: "Ann", title: "Caf\u{E9}") { _ in true } == "Ann/Caf\u{E9} (2)")
        #expect(plan([book("a")], blank, taken: ["Ann/Title"])[0].row.folder == "Ann/Title (2)")
    }

    @Test("Names that lead out of the folder of the app are not taken from a manifest")
    func escapes() {
        for folder in ["../x", "a/..", "a", "a/b/c", "/a", "a/", "a/.", ""] {
            #expect(!BackupNames.isSafe(folder: folder), "\(folder)")
        }
        #expect(BackupNames.isSafe(folder: "Jane Austen/Emma (2)"))
        for name in ["..", ".", "", "a/b", "a\0b"] { #expect(!BackupNames.isSafe(name: name)) }
        var entry = BackupEntry(book("a"), folder: "Ann/a")
        #expect(BackupEntry(entry.json) == entry)
        entry.folder = "../../etc"
        #expect(BackupEntry(entry.json) == nil)
    }
}
