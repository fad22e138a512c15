import BookModel
import Testing

@testable import Libraries

@Suite("Annotations in a backup outlast those on the device")
struct BackupAnnotationsTests {
    private let book = Book(path: "a", title: "a", dateAdded: 1, size: 10)

    /// A complete backup of the book with annotations.
    private func backup(mark: String) -> BackupManifest {
        var manifest = BackupManifest(device: "D", deviceName: nil, app: "A", appName: "A")
        let files = [BackupFile.Role.book, .metadata, .highlights, .annotations].map {
            BackupFile($0, name: $0.rawValue, size: 1, digest: "")
        }
        manifest.entries = [BackupEntry(book, folder: "Ann/a", mark: mark, files: files)]
        return manifest
    }

    private func step(
        _ annotations: BackupAnnotations, _ manifest: BackupManifest, metadata: String = "m",
        missing: BackupFile.Role? = nil, namesLost: Bool = false
    ) -> BackupStep {
        BackupPlanner.plan(
            [book], manifest,
            describe: { _ in
                BackupDescription(mark: metadata, annotations: annotations, author: "Ann", title: "a")
            },
            isWhole: { $1.role != missing }, namesLost: namesLost)[0]
    }

    @Test("Annotations that could not be read count as unchanged")
    func unread() {
        let saved = backup(mark: "m-1")
        #expect(step(.listed(mark: "1"), saved).row.action == .keep)
        #expect(step(.unread, saved).row.action == .keep)
        let changed = step(.unread, saved, metadata: "n")
        #expect(changed.row.action == .update && changed.mark == "n-1" && changed.annotations == .unknown)
        // When they can be read again, what changed is seen.
        #expect(step(.listed(mark: "2"), saved).mark == "m-2")
    }

    @Test("Annotations that the app has no more are noted once")
    func gone() {
        let first = step(.absent, backup(mark: "m-1"))
        #expect(first.row.action == .update && first.mark == "m")
        #expect(step(.absent, backup(mark: "m")).row.action == .keep)
        #expect(step(.listed(mark: "1"), backup(mark: "m")).row.action == .update)
    }

    @Test(
        "A damaged file of annotations is written again if the app has them, and is lost otherwise",
        arguments: [BackupFile.Role.highlights, .annotations])
    func damaged(role: BackupFile.Role) {
        let listed = step(.listed(mark: "1"), backup(mark: "m-1"), missing: role, namesLost: true)
        #expect(listed.row.action == .update && !listed.isLost)
        for annotations in [BackupAnnotations.absent, .unread] {
            let kept = step(annotations, backup(mark: "m"), missing: role, namesLost: true)
            #expect(kept.row.action == .keep && kept.isLost)
            #expect(!step(annotations, backup(mark: "m"), missing: role).isLost)
        }
    }

    @Test(
        "The copy of a file is read once, and again when words can be added",
        arguments: [
            // The mark before, whether words can be read, and the action.
            ("m", true, BackupAction.update), ("m-1", false, .update), ("m-words", true, .keep),
            ("m-words", false, .keep), ("m-file", false, .keep), ("m-file", true, .update),
            ("m-none", true, .keep),
        ])
    func inCopy(mark: String, canReadWords: Bool, action: BackupAction) {
        let step = step(.inCopy(canReadWords: canReadWords), backup(mark: mark))
        #expect(step.row.action == action && step.annotations == (action == .keep ? .backup : .copy))
        #expect(step.row.reason == (action == .keep ? nil : "The highlights in its copy are read."))
    }

    @Test("If only the metadata changed, annotations in the copy are not read again")
    func metadataChanged() {
        for mark in ["m-words", "m-none"] {
            let step = step(.inCopy(canReadWords: true), backup(mark: mark), metadata: "n")
            #expect(step.row.action == .update && step.annotations == .backup)
            #expect(step.mark == mark.replacing("m", with: "n", maxReplacements: 1))
        }
    }

    @Test("A damaged file of annotations is read in the copy, unless the copy has none")
    func damagedFromCopy() {
        let found = step(
            .inCopy(canReadWords: true), backup(mark: "m-words"), missing: .highlights, namesLost: true)
        #expect(found.row.action == .update && found.annotations == .copy && !found.isLost)
        let none = step(
            .inCopy(canReadWords: true), backup(mark: "m-none"), missing: .highlights, namesLost: true)
        #expect(none.row.action == .keep && none.isLost)
    }

    @Test("A file that was copied while annotations are not known is examined by the next run")
    func copiedUnread() {
        let copied = step(.unread, backup(mark: "m-words"), missing: .book)
        #expect(copied.row.action == .fetch && copied.mark == "m")
        #expect(step(.unread, backup(mark: "m-1"), missing: .book).mark == "m-1")
    }

    @Test(
        "The end of a mark is read as it was written",
        arguments: [
            SavedAnnotations.unexamined, .listed(mark: "00ff"), .copied(hasWords: true),
            .copied(hasWords: false), .noneInCopy,
        ])
    func marks(saved: SavedAnnotations) {
        #expect(SavedAnnotations(saved.mark("m")) == saved)
        #expect(saved.mark("m-file") == saved.mark("m"))
    }

    @Test("Annotations replace those from the same place that have no more words")
    func replacing() {
        let all: [SavedAnnotations] = [
            .unexamined, .listed(mark: "1"), .copied(hasWords: false), .copied(hasWords: true), .noneInCopy,
        ]
        func replaceable(_ saved: SavedAnnotations) -> [SavedAnnotations] {
            all.filter { saved.mayReplace($0) }
        }
        #expect(replaceable(.listed(mark: "2")) == [.listed(mark: "1")])
        #expect(replaceable(.copied(hasWords: false)) == [.copied(hasWords: false)])
        #expect(replaceable(.copied(hasWords: true)) == [.copied(hasWords: false), .copied(hasWords: true)])
    }

    @Test("The manifest has since when annotations are gone, and any number of earlier ones")
    func entry() {
        var entry = backup(mark: "m").entries[0]
        entry.highlightsGoneSince = 5
        for name in ["highlights until 1970-01-01.md", "highlights until 1970-01-01.json"] {
            entry.files.append(BackupFile(.earlierHighlights, name: name, size: 1, digest: ""))
        }
        #expect(BackupEntry(entry.json) == entry)
    }
}
