import BookModel
import Foundation
import HostErrors
import Platform
import TestSupport
import Testing

@testable import Libraries

@Suite("The folder of a backup is written safely")
struct BackupFolderTests {
    private let folder: TemporaryFolder
    private let backup: BackupFolder

    init() throws {
        folder = try TemporaryFolder()
        backup = BackupFolder(folder.path("Phone (D)/Reader (A)"))
    }

    private var blank: BackupManifest {
        BackupManifest(device: "D", deviceName: "Phone", app: "A", appName: "Reader")
    }

    /// Writes a book like a run, with metadata that have its entry.
    private func put(_ name: String, gone: Int64? = nil, _ content: String = "content") throws -> BackupEntry
    {
        var entry = BackupEntry(
            Book(path: name, uuid: "u-\(name)", title: "T “\(name)” <&>\n", authors: ["A"], size: 7),
            folder: "A/\(name)", mark: "m")
        entry[.book] = try backup.write(Array(content.utf8), .book, name: "\(name).epub", in: entry.folder)
        let text = MetadataPackage.text(Book(title: name), cover: nil, entry: entry)
        entry[.metadata] = try backup.write(
            Array(text.utf8), .metadata, name: "metadata.opf", in: entry.folder)
        entry.goneSince = gone
        return entry
    }

    private func filled() throws -> BackupManifest {
        try BackupFolder.make(backup.path)
        try backup.begin()
        var manifest = blank
        manifest.entries = [try put("one"), try put("two", gone: 5)]
        try backup.finish(manifest)
        return manifest
    }

    /// The manifest in a text, as a backup reads it.
    private func read(_ text: String) throws -> BackupManifest? {
        let other = BackupFolder(folder.path("other"))
        try BackupFolder.make(other.path)
        try Data(text.utf8).write(to: URL(fileURLWithPath: other.path + "/" + BackupFolder.manifestName))
        guard case .manifest(let manifest) = try other.content() else { return nil }
        return manifest
    }

    private func file(_ name: String) -> String { backup.path + "/" + name }

    private func url(_ name: String) -> URL { URL(fileURLWithPath: file(name)) }

    @Test("The folder of one device or app is recognised, and leads to the whole backup")
    func parts() throws {
        try BackupFolder.make(backup.path)
        try backup.finish(blank)
        let root = try #require(realpath(folder.path, nil))
        defer { free(root) }
        let whole = String(cString: root)
        #expect(BackupFolder.wholeBackup(containing: folder.path("Phone (D)/Reader (A)")) == whole)
        #expect(BackupFolder.wholeBackup(containing: folder.path("Phone (D)/")) == whole)
        #expect(BackupFolder.wholeBackup(containing: folder.path) == nil)
        #expect(BackupFolder.wholeBackup(containing: folder.path("missing (D)")) == nil)
        // The manifest of another program.
        try BackupFolder.make(folder.path("Books (2026)/Novels (old)"))
        try Data(#"{"app": "x", "version": 1}"#.utf8).write(
            to: folder.url.appendingPathComponent("Books (2026)/Novels (old)/manifest.json"))
        #expect(BackupFolder.wholeBackup(containing: folder.path("Books (2026)")) == nil)
    }

    @Test("A manifest is read as it was written, and an incomplete one is not read")
    func manifest() throws {
        let manifest = try filled()
        let text = try String(contentsOf: url(BackupFolder.manifestName), encoding: .utf8)
        #expect(try read(text) == manifest)
        _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
        for length in stride(from: 0, to: text.utf8.count, by: 7) {
            #expect(try read(String(decoding: text.utf8.prefix(length), as: UTF8.self)) == nil)
        }
        #expect(try read(text + "\n") == nil && read(text.replacing("]}\n", with: "]}")) == nil)
        let old = try withoutChecksum(text)
        #expect(try read(old) == manifest && read(old.replacing("A/one", with: "../one")) == nil)
        let (read, isWritten) = try backup.manifest(like: blank)
        #expect(read == manifest && isWritten)
    }

    /// A manifest as an earlier version wrote it.
    private func withoutChecksum(_ text: String) throws -> String {
        let start = try #require(text.firstRange(of: ", \"sha256\": \"")).lowerBound
        let end = try #require(text.firstRange(of: ", \"books\": [")).lowerBound
        return String(text[..<start] + text[end...])
    }

    @Test("A manifest in which a title or a name changed is damaged, and the next run rebuilds it")
    func changed() throws {
        let manifest = try filled()
        let text = try String(contentsOf: url(BackupFolder.manifestName), encoding: .utf8)
        for (before, after) in [("T “one”", "T “two”"), ("\"Reader\"", "\"Leader\"")] {
            let changed = text.replacing(before, with: after)
            // Only the checksum shows the change.
            #expect(try changed != text && read(changed) == nil && read(withoutChecksum(changed)) != nil)
            try Data(changed.utf8).write(to: url(BackupFolder.manifestName))
            let found = try BackupVerification.run(backup.path)
            #expect(found.books == 2 && found.findings.map(\.problem) == [.damaged])
            #expect(found.findings.first?.path == file(BackupFolder.manifestName))
            let (rebuilt, isWritten) = try backup.manifest(like: blank)
            #expect(!isWritten && rebuilt.appName == "Reader")
            #expect(rebuilt.entries.map(\.title) == manifest.entries.map(\.title))
        }
    }

    @Test("The checksum of a manifest is that of the file without the checksum")
    func checksum() throws {
        _ = try filled()
        let text = try String(contentsOf: url(BackupFolder.manifestName), encoding: .utf8)
        let rest = try #require(Digest.text(of: try withoutChecksum(text), .sha256))
        #expect(text.contains(", \"sha256\": \"\(rest)\", \"books\": [\n"))
    }

    @Test("A lost or damaged manifest is rebuilt from the metadata", arguments: [true, false])
    func rebuilt(isLost: Bool) throws {
        let manifest = try filled()
        if isLost {
            #expect(unlink(file(BackupFolder.manifestName)) == 0)
        } else {
            try Data("{".utf8).write(to: URL(fileURLWithPath: file(BackupFolder.manifestName)))
        }
        // A user's own folder is not mistaken for one of the backup.
        try BackupFolder.make(file("A/mine"))
        try Data("<package/>".utf8).write(to: URL(fileURLWithPath: file("A/mine/metadata.opf")))
        let (found, isWritten) = try backup.manifest(like: blank)
        var wanted = manifest
        for place in wanted.entries.indices { wanted.entries[place].goneSince = nil }
        #expect(found == wanted && !isWritten)
    }

    @Test("A lost manifest is rebuilt with the time since when a book is gone")
    func rebuiltGone() throws {
        var manifest = try filled()
        let (metadata, changed) = (try Data(contentsOf: url("A/one/metadata.opf")), Data("my own".utf8))
        let stored: BackupFile = try #require(try backup.store(manifest.entries[1]))
        manifest.entries[1][.metadata] = stored
        try backup.finish(manifest)
        #expect(try BackupVerification.run(folder.path).findings.isEmpty)
        #expect(unlink(file(BackupFolder.manifestName)) == 0)
        #expect(try backup.manifest(like: blank).0.entries.map(\.goneSince) == [nil, 5])
        #expect(try Data(contentsOf: url("A/one/metadata.opf")) == metadata)
        // A metadata file that a person changed stays as it is.
        try changed.write(to: url("A/two/metadata.opf"))
        #expect(try backup.store(manifest.entries[1]) == nil)
        #expect(try Data(contentsOf: url("A/two/metadata.opf")) == changed)
    }

    @Test("A metadata file that already has the entry of its book is not written again")
    func storedAgain() throws {
        var entry = try filled().entries[0]
        func number() throws -> UInt64 { try look()["Phone (D)/Reader (A)/A/one/metadata.opf"]?[1] ?? 0 }
        let first = try number()
        #expect(try first != 0 && backup.store(entry) == entry[.metadata] && number() == first)
        entry.goneSince = 5
        #expect(try backup.store(entry) != entry[.metadata] && number() != first)
    }

    @Test("A file that the backup does not know is not replaced, and the backup's own is")
    func foreignFile() throws {
        var entry = try #require(try filled().entries.first)
        let own = Data("my own picture".utf8)
        try own.write(to: url("A/one/cover.jpg"))
        for content in ["first", "second"] {
            let cover = try backup.write(Array(content.utf8), .cover, name: "cover.jpg", for: entry)
            entry[.cover] = cover
            #expect(cover.name == "cover (2).jpg" && backup.isWhole(entry, .cover))
            #expect(try Data(contentsOf: url("A/one/cover (2).jpg")) == Data(content.utf8))
        }
        #expect(try Data(contentsOf: url("A/one/cover.jpg")) == own)
        // Another type needs another name.
        let png = try backup.write([1], .cover, name: "cover.png", for: entry)
        #expect(png.name == "cover.png")
        // A file with the same content was left by an interrupted run.
        try Data("notes".utf8).write(to: url("A/one/highlights.md"))
        let notes = try backup.write(Array("notes".utf8), .highlights, name: "highlights.md", for: entry)
        #expect(notes.name == "highlights.md")
        // A name of another file of the book is not taken either.
        let book = try backup.write([1], .annotations, name: "ONE.epub", for: entry)
        #expect(book.name == "ONE (2).epub")
    }

    @Test("Results of an interrupted run are found, its leftovers are removed, and known books stay known")
    func interrupted() throws {
        let manifest = try filled()
        try backup.begin()
        let three = try put("three")
        try Data("half".utf8).write(to: URL(fileURLWithPath: file(".overlayhost-1.tmp")))
        try BackupFolder.make(file(".overlayhost-abc"))
        try Data("half".utf8).write(to: URL(fileURLWithPath: file(".overlayhost-abc/1")))
        let (found, isWritten) = try backup.manifest(like: blank)
        #expect(!isWritten && Set(found.entries) == Set(manifest.entries + [three]))
        try backup.removeLeftovers()
        try backup.begin()
        let names = try FileManager.default.contentsOfDirectory(atPath: backup.path)
        #expect(names.sorted() == [".unfinished", "A", "manifest.json"])
        try backup.finish(found)
        #expect(try backup.manifest(like: blank).0 == found)
    }

    @Test("A file is whole if it is there with its size, and not through a link")
    func whole() throws {
        let entry = try #require(try filled().entries.first)
        #expect(backup.isWhole(entry, .book) && !backup.isWhole(entry, .cover))
        let path = file("A/one/one.epub")
        #expect(rename(path, file("other")) == 0 && symlink(file("other"), path) == 0)
        #expect(!backup.isWhole(entry, .book))
        #expect(backup.isFree("A/four") && !backup.isFree("A/one"))
    }

    @Test("A folder that cannot be read is not free", .enabled(if: geteuid() != 0))
    func unreadable() throws {
        try BackupFolder.make(file("A/closed"))
        #expect(backup.isFree("A/closed"))
        #expect(chmod(file("A/closed"), 0) == 0)
        #expect(!backup.isFree("A/closed"))
        #expect(chmod(file("A/closed"), 0o700) == 0)
    }

    @Test("The folder of a device is found by its id, also under another name")
    func named() throws {
        let parent = folder.path
        let first = try BackupFolder.named("Ann's iPhone", id: "0000-1", in: parent)
        #expect(first == parent + "/Ann's iPhone (0000-1)")
        try BackupFolder.make(first)
        #expect(try BackupFolder.named("Bob's iPhone", id: "0000-1", in: parent) == first)
        #expect(try BackupFolder.named("Ann's iPhone", id: "0000-2", in: parent) != first)
        #expect(try BackupFolder.named("", id: "../x", in: parent) == parent + "/Unknown (.._x)")
    }

    @Test("A folder that cannot be listed is a failure", .enabled(if: geteuid() != 0))
    func unlisted() throws {
        let closed = folder.path + "/Phone (1)"
        try BackupFolder.make(closed)
        #expect(chmod(closed, 0) == 0)
        #expect(throws: HostError.self) { try BackupFolder.all(in: folder.path) }
        #expect(throws: HostError.self) { try BackupFolder.named("Ann", id: "1", in: closed) }
        #expect(chmod(closed, 0o700) == 0)
    }

    @Test("A closed folder that is not from a backup is left out", .enabled(if: geteuid() != 0))
    func foreign() throws {
        let (closed, found) = (folder.path + "/lost+found", folder.path + "/Phone (1)/App (2)")
        try BackupFolder.make(closed)
        try BackupFolder.make(found)
        try BackupFolder(found).begin()
        #expect(chmod(closed, 0) == 0)
        #expect(try BackupFolder.all(in: folder.path).map(\.path) == [found])
        #expect(chmod(closed, 0o700) == 0)
    }

    @Test("A missing folder, and a file in its place, contain no backup")
    func missing() throws {
        try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
        for parent in [folder.path + "/file", folder.path + "/none"] {
            #expect(try BackupFolder.named("Ann", id: "1", in: parent) == parent + "/Ann (1)")
            #expect(try BackupFolder.all(in: parent).isEmpty)
        }
    }

    // MARK: verifying

    /// Every file with the values of `stat`.
    private func look() throws -> [String: [UInt64]] {
        var seen: [String: [UInt64]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            var status = stat()
            guard lstat(folder.path(name), &status) == 0 else { continue }
            seen[name] = [
                UInt64(status.st_size), UInt64(status.st_ino), UInt64(status.st_mtim.tv_sec),
                UInt64(status.st_mtim.tv_nsec),
            ]
        }
        return seen
    }

    @Test("Verifying reads every byte, names what is damaged or missing, and changes nothing")
    func verify() throws {
        _ = try filled()
        let good = try BackupVerification.run(folder.path)
        #expect(good.findings.isEmpty && good.books == 2 && good.files == 4 && good.bytes > 14)
        // The same size, with one byte changed.
        try Data("cOntent".utf8).write(to: URL(fileURLWithPath: file("A/one/one.epub")))
        #expect(unlink(file("A/two/metadata.opf")) == 0)
        let before = try look()
        for place in [folder.path, folder.path("Phone (D)"), backup.path] {
            let bad = try BackupVerification.run(place)
            #expect(bad.findings.map(\.problem) == [.damaged, .missing])
            #expect(bad.findings.map { $0.path.hasSuffix("one.epub") } == [true, false])
        }
        #expect(try look() == before)
    }

    @Test(
        "A backup behind a link is verified like any other, and a link that leads nowhere is a failure",
        arguments: ["Phone (D)", "Phone (D)/Reader (A)"])
    func verifyLink(name: String) throws {
        _ = try filled()
        let elsewhere = try TemporaryFolder()
        let (place, target) = (folder.path(name), elsewhere.path("moved"))
        #expect(rename(place, target) == 0 && symlink(target, place) == 0)
        for parent in [folder.path, folder.path("Phone (D)"), backup.path] {
            let found = try BackupVerification.run(parent)
            #expect(found.findings.isEmpty && found.files == 4)
        }
        #expect(rename(target, elsewhere.path("away")) == 0)
        let error = #expect(throws: HostError.self) { try BackupVerification.run(folder.path) }
        #expect(error?.code == .inputUnreadable && error?.subject == place)
        // A person's own link is not followed.
        #expect(unlink(place) == 0 && symlink(target, folder.path("mine")) == 0)
        #expect(try BackupFolder.all(in: folder.path).isEmpty)
    }

    @Test("After its files have been read, a damaged one is not whole, and nothing has changed")
    func findDamage() throws {
        let entries = try filled().entries
        try Data("cOntent".utf8).write(to: URL(fileURLWithPath: file("A/one/one.epub")))
        let before = try look()
        var read = backup
        #expect(read.isWhole(entries[0], .book))
        try read.findDamage(in: entries)
        #expect(!read.isWhole(entries[0], .book) && read.isWhole(entries[0], .metadata))
        #expect(entries[1].files.allSatisfy { read.isWhole(entries[1], $0.role) })
        #expect(try look() == before)
        let error = #expect(throws: HostError.self) {
            try read.findDamage(in: entries, isCancelled: { true })
        }
        #expect(error?.code == .cancelled)
    }

    @Test("A full disk and an exceeded quota both count as lack of space", arguments: [ENOSPC, EDQUOT])
    func full(code: Int32) {
        #expect(BackupFolder.unwritable("/x", code).code == .noSpace)
        #expect(BackupFolder.unwritable("/x", EACCES).code == .outputNotCreated)
        let folder = BackupFolder.unwritable("/x/A.epub", EISDIR)
        #expect(folder.message == "A folder is in the place of a file of the backup: /x/A.epub.")
        #expect(folder.hint?.hasPrefix("Move the folder away") == true)
    }

    @Test("A lost manifest is a finding, and what is found by the metadata is verified anyway")
    func verifyWithoutManifest() throws {
        _ = try filled()
        #expect(unlink(file(BackupFolder.manifestName)) == 0)
        try Data("".utf8).write(to: URL(fileURLWithPath: file(".lock")))
        try Data("cOntent".utf8).write(to: URL(fileURLWithPath: file("A/one/one.epub")))
        let found = try BackupVerification.run(folder.path)
        #expect(found.findings.map(\.problem) == [.missing, .damaged] && found.books == 2)
    }

    @Test("A missing folder, a folder without a backup and a cancelled verification are errors")
    func nothing() throws {
        let missing = #expect(throws: HostError.self) { try BackupVerification.run(folder.path + "/none") }
        #expect(missing?.message == "No such file or directory.")
        let empty = #expect(throws: HostError.self) { try BackupVerification.run(folder.path) }
        #expect(empty?.message == "There is no backup in this folder.")
        _ = try filled()
        let error = #expect(throws: HostError.self) {
            try BackupVerification.run(folder.path, isCancelled: { true })
        }
        #expect(error?.code == .cancelled)
    }
}
