import Foundation
import Glibc
import TestSupport
import Testing

@testable import OverlayServices
@testable import OverlayHost

@Suite("A granted folder gives access to its content only, and changes only expected files")
struct GrantedFolderTests {
    private let place: TemporaryFolder
    private let source: String

    init() throws {
        place = try TemporaryFolder()
        source = place.path("source")
        try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
    }

    private func folder() throws -> GrantedFolder { try GrantedFolder(source, trash: place.path("trash")) }

    private func file(_ name: String, _ text: String) {
        #expect(writeFile("\(source)/\(name)", Array(text.utf8)))
    }

    private func text(_ name: String) -> String? {
        readFile("\(source)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    private func stamp(_ folder: GrantedFolder, _ name: String) throws -> String {
        try #require(try folder.stat(GrantedPath(name)).stamp)
    }

    @discardableResult
    private func write(
        _ folder: GrantedFolder, _ name: String, _ text: String, expected: String?
    ) throws(HostError) -> GrantedFile {
        let replacement = try folder.replacement(GrantedPath(name), expected: expected)
        let bytes = Array(text.utf8)
        do {
            try bytes.withUnsafeBytes { try replacement.write($0) }
        } catch {
            throw error as? HostError ?? HostError(.failed, "\(error)")
        }
        return try replacement.place()
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: source).sorted()
    }

    @Test(
        "A path that is absolute, climbs, has an empty part or belongs to the host is refused",
        arguments: [
            "/etc/passwd", "..", "a/../b", "./a", "a//b", "a/", ".Trash-overlayhost/x",
            ".a.overlayhost-backup",
            ".a.overlayhost-new", ".overlayhost-1-1.part", "a\0b", String(repeating: "n", count: 256),
        ])
    func refusedPaths(_ path: String) {
        #expect(hostError { () throws(HostError) in _ = try GrantedPath(path) }?.code == .invalidArgument)
    }

    @Test("A symbolic link is listed as one and never followed, as the last name or on the way")
    func links() throws {
        try FileManager.default.createDirectory(
            atPath: place.path("elsewhere"), withIntermediateDirectories: true)
        #expect(writeFile(place.path("elsewhere/secret"), [1]))
        try FileManager.default.createSymbolicLink(
            atPath: source + "/out", withDestinationPath: place.path("elsewhere"))
        try FileManager.default.createSymbolicLink(
            atPath: source + "/file", withDestinationPath: place.path("elsewhere/secret"))
        let folder = try folder()
        #expect(try folder.list(GrantedPath("")).files.map(\.kind) == [.link, .link])
        for path in ["out/secret", "file"] {
            #expect(throws: HostError.self) { _ = try folder.read(GrantedPath(path), expected: nil) }
        }
        #expect(throws: HostError.self) { try write(folder, "out/new", "x", expected: nil) }
        #expect(
            hostError { () throws(HostError) in try write(folder, "file", "x", expected: nil) }?.code
                == .changed)
        #expect(readFile(place.path("elsewhere/secret")) == [1])
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path("elsewhere")) == ["secret"])
    }

    @Test("A file is replaced only if it has the expected stamp, and its former version stays as a backup")
    func replacing() throws {
        file("a.bib", "old")
        chmod(source + "/a.bib", 0o640)
        let folder = try folder()
        let first = try stamp(folder, "a.bib")
        let new = try write(folder, "a.bib", "new", expected: first)
        #expect(text("a.bib") == "new" && text(".a.bib.overlayhost-backup") == "old")
        #expect(new.mode == 0o640)
        #expect(new.stamp == (try stamp(folder, "a.bib")))
        #expect(
            hostError { () throws(HostError) in try write(folder, "a.bib", "x", expected: first) }?.code
                == .changed)
        #expect(
            hostError { () throws(HostError) in try write(folder, "a.bib", "x", expected: nil) }?.code
                == .changed)
        #expect(
            hostError { () throws(HostError) in try write(folder, "b.bib", "x", expected: first) }?.code
                == .changed)
        try write(folder, "sub/deep/c.bib", "c", expected: nil)
        #expect(text("a.bib") == "new" && text("b.bib") == nil && text("sub/deep/c.bib") == "c")
        #expect(try names() == [".a.bib.overlayhost-backup", "a.bib", "sub"])
        #expect(try folder.list(GrantedPath("")).files.map(\.name) == ["a.bib", "sub"])
    }

    @Test("A file that another program writes between the check and the replacement is never overwritten")
    func changedMeanwhile() throws {
        file("a.bib", "old")
        let folder = try folder()
        let replacement = try folder.replacement(
            GrantedPath("a.bib"), expected: try stamp(folder, "a.bib"))
        try Array("new".utf8).withUnsafeBytes { try replacement.write($0) }
        file("a.bib", "theirs, and longer")
        #expect(hostError { () throws(HostError) in _ = try replacement.place() }?.code == .changed)
        #expect(text("a.bib") == "theirs, and longer")
    }

    @Test("A replacement that was not placed leaves nothing behind, and so does a run that was cut off")
    func leftovers() throws {
        let folder = try folder()
        do {
            let replacement = try folder.replacement(GrantedPath("a.bib"), expected: nil)
            try [UInt8]([1]).withUnsafeBytes { try replacement.write($0) }
            #expect(try names() == [".a.bib.overlayhost-new"])
        }
        #expect(try names() == [])
        file(".a.bib.overlayhost-new", "half a fi")
        try write(folder, "a.bib", "whole", expected: nil)
        #expect(try names() == ["a.bib"])
        #expect(text("a.bib") == "whole")
    }

    @Test("The next run moves replaced versions that a killed run left to the trash")
    func replacedVersion() throws {
        file("a.bib", "new")
        file(".a.bib.overlayhost-backup", "old")
        try FileManager.default.linkItem(
            atPath: source + "/.a.bib.overlayhost-backup", toPath: source + "/.a.bib.overlayhost-replaced")
        file("b.bib", "new")
        file(".b.bib.overlayhost-backup", "old")
        file(".b.bib.overlayhost-replaced", "another program's")
        let left = try names()
        _ = try folder().list(GrantedPath(""), sweeping: true)
        #expect(try names() == left)
        let folder = try folder()
        let unplaced = try stamp(folder, "b.bib")
        #expect(
            hostError { () throws(HostError) in
                try write(folder, "b.bib", "newer", expected: unplaced)
            }?.code == .hostIO)
        #expect(text(".b.bib.overlayhost-replaced") == "another program's" && text("b.bib") == "new")
        let next = try self.folder()
        try next.lock(waiting: {}, isCancelled: { true })
        _ = try next.list(GrantedPath(""), sweeping: true)
        #expect(try names() == left.filter { !$0.hasSuffix("-replaced") })
        #expect(text("../trash/files/a.bib") == "old" && text("../trash/files/b.bib") == "another program's")
        try write(next, "b.bib", "newer", expected: try stamp(next, "b.bib"))
        #expect(text("b.bib") == "newer")
    }

    @Test("The next run removes a new version that a killed run did not get to place")
    func unplacedVersion() throws {
        file("a.bib", "old")
        try FileManager.default.linkItem(
            atPath: source + "/a.bib", toPath: source + "/.a.bib.overlayhost-backup")
        file(".a.bib.overlayhost-replaced", "new")
        let folder = try folder()
        try folder.lock(waiting: {}, isCancelled: { true })
        _ = try folder.list(GrantedPath(""), sweeping: true)
        #expect(try names() == [".a.bib.overlayhost-backup", "a.bib"])
    }

    @Test("Leftovers of a transfer that ended an hour ago are removed, and those of a running one are not")
    func sweeping() throws {
        file(".overlayhost-1-1.part", "old")
        file(".overlayhost-1-2.part", "new")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -7200)],
            ofItemAtPath: source + "/.overlayhost-1-1.part")
        let lock = open(source + "/.overlayhost-1-1.part", O_RDONLY)
        #expect(flock(lock, LOCK_SH | LOCK_NB) == 0)
        try write(try folder(), "a", "a", expected: nil)
        #expect(try names() == [".overlayhost-1-1.part", ".overlayhost-1-2.part", "a"])
        close(lock)
        try write(try folder(), "b", "b", expected: nil)
        #expect(try names() == [".overlayhost-1-2.part", "a", "b"])
    }

    @Test("Data for resuming a transfer stay for 30 days, or until a sync of its device and app has ended")
    func partialFiles() throws {
        let (one, two) = (
            GrantedPath.partialPrefix(of: "phone", "app"), GrantedPath.partialPrefix(of: "tablet", "app")
        )
        #expect(one != two && one != GrantedPath.partialPrefix(of: "phone", "other"))
        for name in [one + "a.begun", one + "b.begun", two + "a.begun", one + "a"] { file(name, "part") }
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -31 * 86_400)],
            ofItemAtPath: source + "/\(one)b.begun")
        let folder = try folder()
        #expect(try folder.list(GrantedPath("")).files.isEmpty)
        _ = try folder.list(GrantedPath(""), sweeping: true)
        #expect(try names() == [one + "a", one + "a.begun", two + "a.begun"].sorted())
        folder.removePartialFiles(one)
        #expect(try names() == [one + "a", two + "a.begun"].sorted())
    }

    @Test(
        "The next run removes leftovers of ended processes, but not of running ones or with other names"
    )
    func abandoned() throws {
        // Larger than any process id.
        let ended = 1_999_999_999
        file(".overlayhost-\(ended)-1.part", "left")
        file(".overlayhost-\(ended)-2.part", "in use on another computer")
        let lock = open(source + "/.overlayhost-\(ended)-2.part", O_RDONLY)
        defer { close(lock) }
        #expect(flock(lock, LOCK_SH | LOCK_NB) == 0)
        file(".overlayhost-\(getpid())-1.part", "being written")
        file(".overlayhost-\(ended)-x.part", "another's")
        file(".overlayhost-\(ended).part", "another's")
        _ = try folder().list(GrantedPath(""))
        #expect(try names().count == 5)
        _ = try folder().list(GrantedPath(""), sweeping: true)
        #expect(
            try names().sorted()
                == [
                    ".overlayhost-\(ended)-2.part", ".overlayhost-\(ended)-x.part",
                    ".overlayhost-\(ended).part", ".overlayhost-\(getpid())-1.part",
                ].sorted())
    }

    @Test(
        "A removed file is in the user's trash with the place it comes from, each under its own name")
    func trash() throws {
        file("a b.pdf", "one")
        let folder = try folder()
        let stale = try stamp(folder, "a b.pdf")
        file("a b.pdf", "another")
        #expect(
            hostError { () throws(HostError) in
                try folder.trash(GrantedPath("a b.pdf"), expected: stale)
            }?.code == .changed)
        try folder.trash(
            GrantedPath("a b.pdf"), expected: try stamp(folder, "a b.pdf"), now: "2026-07-18T12:00:00")
        file("a b.pdf", "third")
        try folder.trash(GrantedPath("a b.pdf"), expected: try stamp(folder, "a b.pdf"))
        #expect(try names() == [])
        #expect(readFile(place.path("trash/files/a b.pdf")) == Array("another".utf8))
        #expect(readFile(place.path("trash/files/a b.pdf.2")) == Array("third".utf8))
        let note = try #require(readFile(place.path("trash/info/a b.pdf.trashinfo")))
        #expect(
            String(decoding: note, as: UTF8.self)
                == "[Trash Info]\nPath=\(source)/a%20b.pdf\nDeletionDate=2026-07-18T12:00:00\n")
    }

    @Test(
        "Without a trash of the user a removed file stays in one in the folder, which overlays do not see")
    func ownTrash() throws {
        file("a.pdf", "one")
        let folder = try GrantedFolder(source)
        try folder.trash(GrantedPath("a.pdf"), expected: try stamp(folder, "a.pdf"))
        #expect(text(".Trash-overlayhost/files/a.pdf") == "one")
        #expect(try folder.list(GrantedPath("")).files.isEmpty)
    }

    @Test("A file that changes while it is read ends the reading")
    func readMeanwhile() throws {
        file("big", String(repeating: "x", count: 3_000_000))
        let folder = try folder()
        let reading = try folder.read(GrantedPath("big"), expected: nil)
        let error = hostError { () throws(HostError) in
            try reading.forEachPiece(from: 0) { _, offset, _ throws(HostError) in
                if offset == 0 { truncate(source + "/big", 10) }
            }
        }
        #expect(error?.code == .changed)
    }

    @Test("The digest is that of the content, and a stamp that is not the file's is refused")
    func digest() throws {
        file("abc", "abc")
        let folder = try folder()
        let digest = try folder.read(GrantedPath("abc"), expected: nil).digest {}
        #expect(digest == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            hostError { () throws(HostError) in
                _ = try folder.read(GrantedPath("abc"), expected: "1-2-3-4")
            }?.code == .changed)
    }

    @Test("Two syncs of one folder take turns")
    func turns() throws {
        let (first, second) = (try folder(), try folder())
        try first.lock(waiting: {}, isCancelled: { true })
        var hasWaited = false
        let error = hostError { () throws(HostError) in
            try second.lock(waiting: { hasWaited = true }, isCancelled: { true })
        }
        #expect(error?.code == .cancelled && hasWaited)
    }
}
