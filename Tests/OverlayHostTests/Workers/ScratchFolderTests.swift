import OverlayTestSupport
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import OverlayWorkers
@testable import Platform
@testable import OverlayHost

@Suite("Files that an overlay leaves in its folder are removed with the command")
struct ScratchFolderTests {
    @Test(
        "Folders without permissions and deeper than a path are removed with the rest",
        arguments: ProgramUser.all)
    func removed(_ user: ProgramUser) throws {
        let world = try PluginWorld()
        try HostileOverlay.build(world.file("hostile.so"), ["FILL_WHEN_LOADED"])
        let temporary = world.folder.path("tmp")
        try FileManager.default.createDirectory(
            atPath: temporary, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try user.own(world.folder.path)
        let result = try user.run(
            ["overlays", "--plugins", world.plugins, "--json"],
            environment: [
                "HOME": world.folder.path, "TMPDIR": temporary, "XDG_RUNTIME_DIR": world.folder.path("run"),
            ])
        #expect(result.status == 0, "\(result)")
        #expect(result.output.contains("\"hostile\""), "\(result)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == [])
    }

    @Test("A folder of an ended process that removed its permissions is removed by the next one")
    func closed() throws {
        let folder = try TemporaryFolder()
        let left = folder.path(LockedFolder.prefix + "left")
        try FileManager.default.createDirectory(
            atPath: left + "/inner", withIntermediateDirectories: true)
        try #require(chmod(left + "/inner", 0) == 0)
        try #require(chmod(left, 0) == 0)
        let held = try #require(LockedFolder(in: folder.path))
        defer { held.remove() }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path)
                == [(held.path as NSString).lastPathComponent])
    }

    @Test("A name that is taken is not an obstacle to moving folders out of each other")
    func takenNames() throws {
        let folder = try TemporaryFolder()
        for path in ["moved-1/x/y", "a/moved-2/b", "a/c/moved-3/d/e", "moved-4"] {
            try FileManager.default.createDirectory(
                atPath: folder.path(path), withIntermediateDirectories: true)
            try Data("x".utf8).write(to: URL(fileURLWithPath: folder.path(path + "/file")))
        }
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(FolderRemoval.removeContents(of: descriptor))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("A folder that was replaced by a link does not change the permissions of the link's target")
    func exchanged() throws {
        let folder = try TemporaryFolder()
        for name in ["entry", "target"] {
            try FileManager.default.createDirectory(
                atPath: folder.path(name), withIntermediateDirectories: false)
        }
        let target = folder.path("target")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"), withDestinationPath: target)
        try #require(chmod(target, 0o500) == 0)
        let parent = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(parent) }
        let isOver = Atomic(false)
        let (entry, link, aside) = (folder.path("entry"), folder.path("link"), folder.path("aside"))
        Thread.detachNewThread {
            while !isOver.load(ordering: .acquiring) {
                for (from, to) in [(entry, aside), (link, entry), (entry, link), (aside, entry)] {
                    rename(from, to)
                }
            }
        }
        defer { isOver.store(true, ordering: .releasing) }
        for _ in 0..<200_000 {
            if let opened = FolderRemoval.open(Array("entry".utf8CString), in: parent) { close(opened) }
        }
        let mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
        #expect(mode == 0o500)
    }
}
