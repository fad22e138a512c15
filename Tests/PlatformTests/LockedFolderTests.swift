import Foundation
import TestSupport
import Testing

@testable import Platform

@Suite("A folder that a process holds is removed after it")
struct LockedFolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    @Test("The folder is removed with its content, at the end of the process or with the last reference")
    func ends() throws {
        var first = LockedFolder(in: folder.path)
        let second = try #require(LockedFolder(in: folder.path))
        let path = try #require(first?.path)
        try Data("x".utf8).write(to: URL(fileURLWithPath: path + "/file"))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        first = nil
        #expect(try names == [(second.path as NSString).lastPathComponent])
        second.remove()
        second.remove()
        #expect(try names.isEmpty)
    }

    @Test("Folders of processes that have ended are removed, and nothing else")
    func sweeps() throws {
        func make(_ name: String) throws -> String {
            try FileManager.default.createDirectory(
                atPath: folder.path(name + "/inside"), withIntermediateDirectories: true)
            return folder.path(name)
        }
        _ = try make(LockedFolder.prefix + "left")
        _ = try make("other")
        let target = try make("target")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(LockedFolder.prefix + "link"), withDestinationPath: target)
        try Data().write(to: URL(fileURLWithPath: folder.path(LockedFolder.prefix + "file")))
        // Another running process holds this folder.
        let taken = try make(LockedFolder.prefix + "taken")
        let lock = open(taken, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)

        let made = try #require(LockedFolder(in: folder.path))
        defer { made.remove() }
        let expected =
            ["file", "link", "taken"].map { LockedFolder.prefix + $0 }
            + ["other", "target", (made.path as NSString).lastPathComponent]
        #expect(try names == expected.sorted())
        #expect(FileManager.default.fileExists(atPath: target + "/inside"))
        // It does not disturb others later either.
        let next = try #require(LockedFolder(in: folder.path))
        #expect(FileManager.default.fileExists(atPath: made.path))
        next.remove()
    }

    @Test("A hidden folder is removed by the next hidden one only")
    func hidden() throws {
        let left = LockedFolder.hiddenPrefix + "left"
        try FileManager.default.createDirectory(
            atPath: folder.path(left + "/inside"), withIntermediateDirectories: true)
        let visible = try #require(LockedFolder(in: folder.path))
        #expect(try names.contains(left))
        let hidden = try #require(LockedFolder(in: folder.path, isHidden: true))
        #expect(hidden.path.hasPrefix(folder.path(LockedFolder.hiddenPrefix)))
        let paths = [hidden.path, visible.path]
        #expect(try names == paths.map { ($0 as NSString).lastPathComponent }.sorted())
        hidden.remove()
        visible.remove()
        #expect(try names.isEmpty)
    }

    @Test("Without locks in the file system there is a folder anyway, and it is not removed")
    func withoutLocks() throws {
        let first = try #require(LockedFolder(in: folder.path) { _ in ENOLCK })
        let path = folder.path("other")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let left = path + "/" + LockedFolder.prefix + "left"
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: false)
        let second = try #require(LockedFolder(in: path) { _ in ENOLCK })
        #expect(FileManager.default.fileExists(atPath: left))
        second.remove()
        #expect(try names == [(first.path as NSString).lastPathComponent, "other"].sorted())
        first.remove()
        #expect(try names == ["other"])
    }

    @Test(
        "Without locks, folders that are a day old are removed if their process has ended"
    )
    func agedWithoutLocks() throws {
        let ended = Process()
        ended.executableURL = URL(fileURLWithPath: "/bin/true")
        try ended.run()
        ended.waitUntilExit()
        let yesterday = Date(timeIntervalSinceNow: -90_000)
        func make(_ name: String, _ date: Date) throws {
            let path = folder.path(LockedFolder.prefix + name)
            try FileManager.default.createDirectory(
                atPath: path + "/inside", withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        }
        try make("\(ended.processIdentifier)-old", yesterday)
        try make("\(ended.processIdentifier)-young", Date())
        try make("\(getpid())-mine", yesterday)
        try make("unknown", yesterday)
        let made = try #require(LockedFolder(in: folder.path) { _ in ENOLCK })
        made.remove()
        let left = ["\(ended.processIdentifier)-young", "\(getpid())-mine", "unknown"]
        #expect(try names == left.map { LockedFolder.prefix + $0 }.sorted())
    }

    @Test("No folder is used if none can be made")
    func nowhere() { #expect(LockedFolder(in: folder.path("nowhere")) == nil) }
}
