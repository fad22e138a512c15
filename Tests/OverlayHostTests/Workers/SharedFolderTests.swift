import OverlayTestSupport
import Foundation
import TestSupport
import Testing

@testable import OverlayWorkers
@testable import OverlayHost
@testable import OverlayLoading

@Suite("Folders that others can change or have made are refused")
struct SharedFolderTests {
    private let world: PluginWorld

    init() throws {
        world = try PluginWorld()
        try FixtureOverlay.build(world.file("a.so"))
    }

    private func makeRuntime(_ mode: Int) throws -> String {
        let runtime = world.folder.path("runtime")
        try FileManager.default.createDirectory(
            atPath: runtime, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        try Data("x".utf8).write(to: URL(fileURLWithPath: runtime + "/libx.so"))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: runtime + "/libx.so")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: runtime)
        return runtime
    }

    @Test("Libraries in a folder beside that of the overlays that only this user can write are used")
    func ownRuntime() throws {
        _ = try makeRuntime(0o755)
        #expect(try world.only().refusal == nil)
    }

    @Test(
        "A folder of libraries that others can write refuses the overlays beside it",
        arguments: [0o777, 0o775])
    func writableRuntime(_ mode: Int) throws {
        let runtime = try makeRuntime(mode)
        let refusal = try #require(try world.only().refusal)
        #expect(refusal.code == .writableByOthers)
        #expect(refusal.message.hasPrefix("The folder \(runtime) is writable by "), "\(refusal.message)")
    }

    @Test("A library that others can write refuses the overlays beside its folder")
    func writableLibrary() throws {
        let library = try makeRuntime(0o755) + "/libx.so"
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: library)
        let refusal = try #require(try world.only().refusal)
        #expect(refusal.code == .writableByOthers)
        #expect(refusal.message.hasPrefix("\(library) is writable by everyone"), "\(refusal.message)")
    }

    @Test("A library in a nested folder that others can write refuses them as well")
    func nestedLibrary() throws {
        let inner = try makeRuntime(0o755) + "/inner/most"
        try FileManager.default.createDirectory(
            atPath: inner, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let library = inner + "/liby.so"
        try Data("y".utf8).write(to: URL(fileURLWithPath: library))
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: library)
        let refusal = try #require(try world.only().refusal)
        #expect(refusal.code == .writableByOthers)
        #expect(refusal.message.hasPrefix("\(library) is writable by everyone"), "\(refusal.message)")
    }

    @Test("Folders that cannot be listed, or are too many or too deep to check, refuse the overlays")
    func uncheckedFolders() throws {
        let runtime = world.folder.path("runtime")
        try Data("x".utf8).write(to: URL(fileURLWithPath: runtime))
        try #require(chmod(runtime, 0o644) == 0)
        #expect(try #require(try world.only().refusal).message.contains("cannot be listed"))
        try FileManager.default.removeItem(atPath: runtime)
        try FileManager.default.createDirectory(
            atPath: runtime + String(repeating: "/d", count: 40), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        let refusal = try #require(try world.only().refusal)
        #expect(refusal.code == .unreadable)
        #expect(refusal.message.contains("too deep"), "\(refusal.message)")
    }

    @Test(
        "Where another user made the folder for copies, they are kept in the cache folder",
        arguments: ProgramUser.all)
    func takenCopies(_ user: ProgramUser) throws {
        let temporary = world.folder.path("tmp")
        try FileManager.default.createDirectory(
            atPath: temporary, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try user.own(world.folder.path)
        // A folder of another user if the tests can make one, and otherwise a file that is not a folder.
        let taken = "\(temporary)/overlayhost-\(user.id)"
        if geteuid() == 0 {
            try FileManager.default.createDirectory(atPath: taken, withIntermediateDirectories: false)
            try #require(chown(taken, user.id == 0 ? 65534 : 0, 0) == 0)
        } else {
            try Data().write(to: URL(fileURLWithPath: taken))
        }
        let home = world.folder.path("home")
        let result = try user.run(
            ["overlays", "--plugins", world.plugins, "--json"],
            environment: [
                "HOME": home, "TMPDIR": temporary, "XDG_RUNTIME_DIR": nil, "XDG_CACHE_HOME": nil,
            ])
        #expect(result.status == 0, "\(result)")
        #expect(!result.output.contains("Cannot create a private copy"), "\(result)")
        let copies = home + "/.cache/overlayhost/copies"
        #expect(try !FileManager.default.contentsOfDirectory(atPath: copies).isEmpty)
    }
}
