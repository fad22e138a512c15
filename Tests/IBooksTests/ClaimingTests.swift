import OverlayKitTesting
import Claims
import OverlayKit
import PropertyLists
import Testing

@testable import iBooks

@Suite("Programs that change the same Books library take turns")
struct ClaimingTests {
    private let shelf = BooksShelf()
    private let owner = "/Books/" + FolderClaim.name + "/owner"

    /// On a device whose clock runs at the speed of the programs' clock.
    init() { shelf.host.tick = 1_000_000 }

    /// A claim of another program from this many seconds ago.
    private func claim(_ owner: String, secondsAgo: Int64 = 0) {
        shelf.host.folders.insert("/Books/" + FolderClaim.name)
        shelf.host.files[self.owner] = .init(
            bytes: Array(owner.utf8), modified: shelf.host.now - secondsAgo * 1_000_000_000, created: 0)
    }

    private var isClaimed: Bool { shelf.host.files[owner] != nil }

    @Test("The claim lasts as long as the change, and nothing of it stays")
    func lasts() throws {
        var seen: [Bool] = []
        shelf.host.before = { operation, path in
            if operation == "push" || path == "/Books/a.epub" { seen.append(isClaimed) }
        }
        try shelf.place("a.epub", "A", "A", id: "1111111111111111", "EPUB a")
        #expect(try shelf.upload([shelf.epub("new", "New")]).rows.map(\.outcome) == [.added])
        #expect(try shelf.delete(["a.epub"]).rows.map(\.outcome) == [.deleted])
        #expect(!seen.isEmpty && seen.allSatisfy { $0 })
        #expect(!shelf.host.folders.contains { $0.contains("claim") })
    }

    @Test("A sweep leaves what another program has just sent, and its notes")
    func together() throws {
        var during: (rows: [ItemResult], error: OverlayError?)?
        shelf.host.before = { [unowned shelf] operation, path in
            guard operation == "push", path.contains(shelf.path(shelf.epub("two", "Two"))), during == nil
            else { return }
            do { during = try shelf.upload([shelf.epub("mine", "Mine")]) } catch { Issue.record(error) }
        }
        let (rows, error) = try shelf.upload([shelf.epub("one", "One"), shelf.epub("two", "Two")])
        #expect(error == nil)
        #expect(rows.map(\.outcome) == [.added, .added])
        #expect(during?.error?.status == .busy)
        #expect(during?.error?.retryable == true)
        #expect(during?.rows.map(\.status) == [.busy])
        #expect(try shelf.titles() == ["One", "Two"])
        #expect(try shelf.upload([shelf.epub("mine", "Mine")]).rows.map(\.outcome) == [.added])
        #expect(try shelf.titles() == ["One", "Two", "Mine"])
    }

    @Test("The program after an interrupted one removes its partial files, wherever they are")
    func partialFiles() throws {
        shelf.host.ended = ["dead-1"]
        claim("dead-1")
        let name = ".overlayhost-00112233445566aa.part"
        for folder in ["", "Sync/", "Sync/Artwork/", "Purchases/"] { shelf.put(folder + name, "half") }
        shelf.put(".mine.part", "mine")
        #expect(try shelf.upload([shelf.epub("new", "New")]).rows.map(\.outcome) == [.added])
        #expect(shelf.host.files.keys.filter { $0.hasSuffix(".part") } == ["/Books/.mine.part"])
    }

    @Test("A claim that is given back meanwhile is waited for")
    func waitedFor() throws {
        claim("7-e15e-1-1")
        shelf.host.onWait = { [unowned shelf] in
            guard shelf.host.waited > 5_000_000_000 else { return }
            shelf.host.files[owner] = nil
            shelf.host.folders.remove("/Books/" + FolderClaim.name)
        }
        #expect(try shelf.upload([shelf.epub("new", "New")]).rows.map(\.outcome) == [.added])
        #expect(shelf.host.progress.contains { $0.phase == "Waiting for another program" })
    }

    @Test(
        "A claim of a program that has ended, or has shown nothing for a minute, does not block others",
        arguments: [true, false])
    func expired(hasEnded: Bool) throws {
        if hasEnded { shelf.host.ended = ["dead-1"] }
        claim("dead-1", secondsAgo: hasEnded ? 0 : 90)
        #expect(try shelf.upload([shelf.epub("new", "New")]).rows.map(\.outcome) == [.added])
        #expect(shelf.host.waited == 0)
        #expect(!isClaimed)
    }

    @Test("A file that has just come shows that the holder of an old claim is at work")
    func atWork() throws {
        claim("7-e15e-1-1", secondsAgo: 90)
        shelf.put(".half.epub.part", "half a book")
        #expect(try shelf.upload([shelf.epub("new", "New")]).error?.status == .busy)
        #expect(isClaimed)
        #expect(shelf.books == [".half.epub.part"])
    }

    @Test("A program that lost the claim does not change any list")
    func lost() throws {
        try shelf.place("a.epub", "A", "A", id: "1111111111111111", "EPUB a")
        let before = shelf.host.files["/Books/Books.plist"]?.bytes
        shelf.host.before = { operation, path in if operation == "push" { claim("7-e15e-1-1") } }
        let (rows, error) = try shelf.upload([shelf.epub("new", "New")])
        #expect(error?.status == .busy)
        #expect(rows.map(\.outcome) == [.failed])
        #expect(shelf.host.files["/Books/Books.plist"]?.bytes == before)
        #expect(isClaimed)
    }
}
