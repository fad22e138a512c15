import BookFolders
import OverlayKitTesting
import Claims
import OverlayKit
import Testing

/// A cancellation during a change that takes or releases its claim.
struct CancelledClaim: Sendable {
    /// Whether an expired claim exists at the beginning.
    let followsOther: Bool
    /// Whether another program makes its own claim just before the change removes one.
    let meetsOther: Bool
    /// Whether the cancellation comes after the operation and cuts off its answer, instead of coming before it.
    let isAnswerCut: Bool

    static let all = [false, true].flatMap { followsOther in
        [false, true].flatMap { meetsOther in
            [false, true].map {
                CancelledClaim(followsOther: followsOther, meetsOther: meetsOther, isAnswerCut: $0)
            }
        }
    }
}

@Suite("Programs that change one shelf take turns")
struct ClaimTests {
    private let bench = ShelfBench()
    private var host: MemoryHost { bench.host }
    private let folder = "/Documents/" + FolderClaim.name

    /// On a device whose clock runs at the speed of the programs' clock.
    init() { bench.host.tick = 1_000_000 }

    private func item(_ name: String, _ title: String, filler: String = "x") -> UploadItem {
        host.item(name, bookText(title, ["Somebody"], filler: filler), title: title, authors: ["Somebody"])
    }

    /// A claim of another program from this many seconds ago.
    private func claim(secondsAgo: Int64 = 0) { claim(on: host, secondsAgo: secondsAgo) }

    private func claim(on host: MemoryHost, owner: String = "7-e15e-1-1", secondsAgo: Int64 = 0) {
        host.folders.insert(folder)
        host.files[folder + "/owner"] = .init(
            bytes: Array(owner.utf8), modified: host.now - secondsAgo * 1_000_000_000, created: 0)
    }

    @Test("Two books of one name, sent by two programs at once, are two files afterwards")
    func together() throws {
        var during: (rows: [ItemResult], error: OverlayError?)?
        let other = item("b.epub", "Emma", filler: "b")
        host.before = { operation, _ in
            guard operation == "push", during == nil else { return }
            do { during = try bench.upload([other]) } catch { Issue.record(error) }
        }
        let first = try bench.upload([item("a.epub", "Emma", filler: "a")])
        #expect(first.rows.map(\.outcome) == [.added])
        #expect(during?.error?.status == .busy)
        #expect(during?.rows.map(\.outcome) == [.failed])
        #expect(
            try bench.upload([other], UploadOptions(onConflict: .replace)).rows.map(\.outcome) == [.replaced])
        #expect(!host.folders.contains { $0.contains("claim") })
    }

    @Test("A change waits until the other program has finished, also one of titles and folders")
    func waits() throws {
        host.put("Emma.epub", bookText("Emma"))
        claim()
        host.onWait = { [host, folder] in
            guard host.waited > 5_000_000_000 else { return }
            host.files[folder + "/owner"] = nil
            host.folders.remove(folder)
        }
        #expect(try bench.sync { $0[0].title = "Emma Again" }.map(\.outcome) == [.updated])
        #expect(host.waited > 5_000_000_000)
        #expect(host.progress.contains { $0.phase == "Waiting for another program" })
    }

    @Test("If a claim cannot be renewed while books arrive, because of a cancellation, each has its row")
    func renewalIsCancelled() throws {
        var isDue = false
        host.before = { [host] operation, _ in
            guard operation == "push", !isDue else { return }
            isDue = true
            host.waited += 60_000_000_000
        }
        var refused = 0
        host.claimFault = { _ in
            guard isDue, refused == 0 else { return nil }
            refused += 1
            return .cancelled
        }
        let sent = try bench.upload([item("a.epub", "Emma"), item("b.epub", "Ivanhoe")])
        #expect(refused == 1)
        #expect(sent.rows.map(\.outcome) == [.added, .added])
        #expect(sent.error == nil)
    }

    @Test("An upload that is cancelled while its claim is renewed reports its last book, and fails")
    func cancelledAtRenewal() throws {
        host.hasGrace = true
        var isDue = false
        host.before = { [host] operation, _ in
            guard operation == "push" else { return }
            isDue = true
            host.waited += 60_000_000_000
        }
        host.claimFault = { [host] _ in
            guard isDue, !host.isCancelled else { return nil }
            host.isCancelled = true
            return .cancelled
        }
        let sent = try bench.upload([item("a.epub", "Emma")])
        #expect(sent.rows.map(\.outcome) == [.added])
        #expect(sent.error?.status == .cancelled)
    }

    @Test("A claim whose release got no answer is gone, and the next program's claim stays")
    func releasedUnanswered() throws {
        var renames = 0
        host.claimFault = { [host, folder] operation in
            guard operation == "rename" else { return nil }
            renames += 1
            // The first attempt makes the claim.
            guard renames == 2, let owner = host.files[folder + "/owner"] else { return nil }
            let grave = folder + "-" + String(decoding: owner.bytes, as: UTF8.self) + ".released"
            host.folders.insert(grave)
            host.files[grave + "/owner"] = owner
            claim()
            return .deviceIO
        }
        #expect(try bench.upload([item("a.epub", "Emma")]).rows.map(\.outcome) == [.added])
        #expect(renames == 2)
        #expect(host.files[folder + "/owner"]?.bytes == Array("7-e15e-1-1".utf8))
        #expect(host.folders.filter { $0.contains("claim") } == [folder])
    }

    @Test(
        "A change that is cancelled while it takes or gives back its claim leaves nothing of it",
        arguments: CancelledClaim.all)
    func cancelled(_ trial: CancelledClaim) throws {
        var point = 0
        var (count, isReached) = (0, true)
        while isReached {
            point += 1
            (count, isReached) = (0, false)
            let (bench, item) = (ShelfBench(), item("a.epub", "Emma"))
            let host = bench.host
            host.tick = 1_000_000
            host.lent = self.host.lent
            host.hasGrace = true
            var (owners, renames): ([String?], Int) = ([nil], 0)
            if trial.followsOther {
                claim(on: host, secondsAgo: 90)
                owners.append("7-e15e-1-1")
            }
            func cancelAtPoint() {
                count += 1
                if count == point { (host.isCancelled, isReached) = (true, true) }
            }
            host.claimFault = { operation in
                if operation == "rename" { renames += 1 }
                // The first makes the claim or is refused; the second removes a claim.
                if trial.meetsOther, operation == "rename", renames == 2 {
                    claim(on: host, owner: "9-e15e-1-1")
                    owners = ["9-e15e-1-1"]
                }
                if !trial.isAnswerCut { cancelAtPoint() }
                return nil
            }
            host.claimChanged = { _ in if trial.isAnswerCut { cancelAtPoint() } }
            host.onWait = {
                host.removeAll(at: folder)
                owners = [nil]
            }
            _ = try bench.upload([item])
            (host.claimFault, host.claimChanged, host.onWait) = ({ _ in nil }, { _ in }, {})
            let owner = host.files[folder + "/owner"].map { String(decoding: $0.bytes, as: UTF8.self) }
            #expect(owners.contains(owner), "cancelled at operation \(point)")
            let claims = host.folders.filter { $0.contains("claim") }
            #expect(claims == (owner == nil ? [] : [folder]), "cancelled at operation \(point)")
        }
        #expect(point > (trial.isAnswerCut ? 5 : 8))
    }

    @Test(
        "A command that fails before it has a claim does not release or mention one",
        arguments: [(OverlayStatus.deviceGone, false), (.deviceGone, true), (.timedOut, false)])
    func nothingClaimed(status: OverlayStatus, isWaiting: Bool) throws {
        if isWaiting { claim() }
        var fails = !isWaiting
        host.onWait = { fails = true }
        host.claimFault = { _ in fails ? status : nil }
        #expect(try bench.upload([item("a.epub", "Emma")]).error?.status == status)
        #expect(!host.log.contains { $0.contains("given back") })
    }

    @Test("An expired claim is removed even if the answer to its rename is lost, and no file of it is left")
    func brokenUnanswered() throws {
        claim(secondsAgo: 90)
        var renames = 0
        host.claimFault = { [host, folder] operation in
            guard operation == "rename" else { return nil }
            renames += 1
            // The first is refused, because a claim exists.
            guard renames == 2, let own = host.folders.first(where: { $0.hasPrefix(folder + "-") }) else {
                return nil
            }
            host.folders.insert(own + ".expired")
            host.files[own + ".expired/owner"] = host.files.removeValue(forKey: folder + "/owner")
            host.folders.remove(folder)
            return .deviceIO
        }
        let (rows, error) = try bench.upload([item("a.epub", "Emma")])
        #expect(error == nil)
        #expect(rows.map(\.outcome) == [.added])
        #expect(!host.folders.contains { $0.contains("claim") })
        #expect(host.log.contains { $0.contains("Its claim was removed") })
    }

    @Test(
        "A claim without an owner that holds something expires by its time, and not before",
        arguments: ["something", "owner/something"])
    func ownerless(content: String) throws {
        host.makeFolders(of: folder + "/" + content)
        host.files[folder + "/" + content] = .init(bytes: [1], modified: host.now, created: host.now)
        host.folderTimes[folder] = host.now
        #expect(try bench.upload([item("a.epub", "Emma")]).error?.status == .busy)
        #expect(host.files[folder + "/" + content] != nil)
        host.folderTimes[folder] = host.now - 90_000_000_000
        let (rows, error) = try bench.upload([item("a.epub", "Emma")])
        #expect(error == nil)
        #expect(rows.map(\.outcome) == [.added])
        #expect(!host.folders.contains { $0.contains("claim") })
    }

    /// Creates partial files, and files with similar names, where an interrupted upload leaves them.
    private func interrupt(hasEnded: Bool) -> [String] {
        let kept = [
            "Deep/.overlayhost-0.part", "Deep/.overlayhost-00112233445566zz.part", ".Emma.epub.part",
            "Deep/overlayhost-00112233445566aa.part",
        ]
        let partial = [".overlayhost-00112233445566aa.part", "Deep/Er/.overlayhost-00112233445566aa-2.part"]
        for name in kept + partial { host.put(name, "half a book") }
        if hasEnded { host.ended = ["7-e15e-1-1"] }
        claim()
        return kept
    }

    @Test(
        "The program after an interrupted one removes its partial files in all folders and says so",
        arguments: ["upload", "update", "delete", "delete again", "delete nothing"])
    func partialFiles(command: String) throws {
        host.put("Emma.epub", bookText("Emma"))
        let kept = interrupt(hasEnded: true)
        switch command {
        case "upload": _ = try bench.upload([item("a.epub", "Other")])
        case "update": _ = try bench.sync { $0[0].title = "Emma Again" }
        case "delete": #expect(try bench.delete(["Emma.epub"]).error == nil)
        case "delete again": #expect(try bench.delete(["Gone.epub"]).rows.map(\.status) == [.notFound])
        default: #expect(try bench.delete([]).error == nil)
        }
        #expect(!host.folders.contains { $0.contains("claim") })
        #expect(host.documents.filter { $0.hasSuffix(".part") } == kept.sorted())
        #expect(host.warnings.contains { $0.contains("2 partial files") })
    }

    @Test("A program that waits in vain, and one that only reads, remove no partial file")
    func partialFilesAtWork() throws {
        host.put("Emma.epub", bookText("Emma"))
        _ = interrupt(hasEnded: false)
        let all = host.documents
        #expect(try bench.books().count == 1)
        #expect(try bench.upload([item("a.epub", "Other")]).error?.status == .busy)
        #expect(host.documents == all)
    }

    @Test("A file that grows in any folder shows that the holder of an old claim is at work")
    func atWork() throws {
        host.put("Deep/Er/Emma.epub", bookText("Emma"))
        claim(secondsAgo: 90)
        let part = "/Documents/Deep/Er/.overlayhost-00112233445566aa.part"
        host.files[part] = .init(bytes: [1], modified: host.now, created: host.now)
        #expect(try bench.upload([item("a.epub", "Other")]).error?.status == .busy)
        host.files[part] = nil
        #expect(try bench.upload([item("a.epub", "Other")]).rows.map(\.outcome) == [.added])
    }

    @Test("Books can be renamed on a full device")
    func full() throws {
        host.put("Emma.epub", bookText("Emma"))
        host.claimFault = { $0 == "remove" ? nil : .noSpace }
        #expect(try bench.sync { $0[0].title = "Emma Again" }.map(\.outcome) == [.updated])
        #expect(host.log.contains { $0.contains("The device is full") })
    }

    @Test("A program that lost the claim to another one does not overwrite books")
    func lost() throws {
        let items = (0...BookShelf.sentAtOnce.books).map { item("\($0).epub", "Book \($0)", filler: "\($0)") }
        let last = "/Documents/Book \(BookShelf.sentAtOnce.books).epub"
        host.before = { [host, folder] operation, path in
            guard operation == "push", path.contains("Book 0") else { return }
            host.files[folder + "/owner"]?.bytes = Array("7-e15e-1-1".utf8)
            host.files[last] = .init(bytes: [1], modified: host.now, created: host.now)
        }
        let (rows, error) = try bench.upload(items)
        #expect(error?.status == .busy)
        #expect(rows.last?.outcome == .failed)
        #expect(rows.dropLast().allSatisfy { $0.outcome == .added })
        #expect(host.files[last]?.bytes == [1])
    }

    @Test("A deletion waits as well; a listing does not")
    func deletion() throws {
        host.put("Emma.epub", bookText("Emma"))
        claim()
        #expect(try bench.books().count == 1)
        #expect(host.waited == 0)
        #expect(try bench.delete(["Emma.epub"]).error?.status == .busy)
        #expect(host.documents.contains("Emma.epub"))
    }
}
