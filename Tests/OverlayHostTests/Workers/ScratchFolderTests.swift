import Foundation
import TestSupport
import Testing

@testable import OverlayHost

@Suite("Nothing that an overlay leaves in its folder outlasts the command")
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

    @Test("A folder of an ended process that took its permissions away is cleared away by the next")
    func closed() throws {
        let folder = try TemporaryFolder()
        let left = folder.path(HeldFolder.prefix + "left")
        try FileManager.default.createDirectory(
            atPath: left + "/inner", withIntermediateDirectories: true)
        try #require(chmod(left + "/inner", 0) == 0)
        try #require(chmod(left, 0) == 0)
        let held = try #require(HeldFolder(in: folder.path))
        defer { held.remove() }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path)
                == [(held.path as NSString).lastPathComponent])
    }

    @Test("A name that is taken is no obstacle to moving folders out of each other")
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
}
