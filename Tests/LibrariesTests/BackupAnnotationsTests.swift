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
        #expect(changed.row.action == .update && changed.mark == "n-1" && changed.annotationsAreUnread)
        // When they can be read again, what changed is seen.
        #expect(step(.listed(mark: "2"), saved).mark == "m-2")
        #expect(BackupAnnotations.unread.mark("m", former: nil) == "m")
        #expect(BackupAnnotations.unread.mark("n", former: "m") == "n")
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
