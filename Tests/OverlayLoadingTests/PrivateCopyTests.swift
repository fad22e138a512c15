import Diagnostics
import Foundation
import OverlayABI
import Preferences
import Synchronization
import Testing
import OverlayTestSupport
import TestSupport

@testable import OverlayLoading

@Suite("Overlays are loaded from private copies")
struct PrivateCopyTests {
    private let world: PluginWorld

    init() throws { world = try PluginWorld() }

    private func copy(_ file: String, racyAge: Int64 = 0, paths: HostPaths? = nil) throws -> String {
        let source = try SourceFile(file)
        return try PrivateCopies(paths: paths ?? world.paths, racyAge: racyAge)
            .copy(of: source.descriptor, path: source.realPath, status: source.status)
    }

    private func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test("The copy is in a folder of this user alone and has the same bytes")
    func place() throws {
        try FixtureOverlay.build(world.file("a.so"))
        let copy = try copy(world.file("a.so"))
        #expect(copy.hasPrefix(world.folder.path("run/overlayhost/")))
        #expect(try mode(world.folder.path("run/overlayhost")) == 0o700)
        #expect(try mode((copy as NSString).deletingLastPathComponent) == 0o700)
        #expect(FileManager.default.contentsEqual(atPath: copy, andPath: world.file("a.so")))
    }

    @Test("An unchanged file is copied once, and one that was just changed is copied again")
    func reuse() throws {
        try FixtureOverlay.build(world.file("a.so"))
        let first = try copy(world.file("a.so"))
        #expect(try copy(world.file("a.so")) == first)
        #expect(try copy(world.file("a.so"), racyAge: .max) != first)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: world.file("a.so")))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([0]))
        try handle.close()
        #expect(try copy(world.file("a.so")) != first)
    }

    @Test(
        "A rebuilt overlay gives the new code, and overwriting the file in place leaves the loaded one alone")
    func rebuild() throws {
        let file = world.file("a.so")
        let discovery = OverlayDiscovery(paths: world.paths, runner: InProcessRunner())
        try FixtureOverlay.build(file, [#"NAME="Old""#])
        let old = try discovery.load(file)
        let rebuilt = world.folder.path("rebuilt.so")
        try FixtureOverlay.build(rebuilt, [#"NAME="New""#])
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: try Data(contentsOf: URL(fileURLWithPath: rebuilt)))
        try handle.close()
        let new = try discovery.load(file)
        #expect(old.descriptor.name == "Old")
        #expect(new.descriptor.name == "New")
        #expect(old.loadedFile != new.loadedFile)
        // The old image still works.
        old.entry.destroy?(OpaquePointer(bitPattern: 8)!)
    }

    @Test("Processes that copy a file at once share the first copy, which none of them replaces")
    func simultaneous() throws {
        try FixtureOverlay.build(world.file("a.so"))
        for _ in 0..<10 {
            let copies = Mutex<[String: Set<ino_t>]>([:])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                #expect(throws: Never.self) {
                    let copy = try copy(world.file("a.so"))
                    var status = stat()
                    try #require(lstat(copy, &status) == 0)
                    _ = copies.withLock { $0[copy, default: []].insert(status.st_ino) }
                }
            }
            let made = try #require(copies.withLock { $0.first })
            #expect(copies.withLock { $0.count } == 1 && made.value.count == 1)
            #expect(
                try FileManager.default.contentsOfDirectory(
                    atPath: (made.key as NSString).deletingLastPathComponent
                ).count == 1)
            try FileManager.default.removeItem(atPath: made.key)
        }
    }

    @Test("Copies of older versions are removed once no process can be about to load them")
    func outdated() throws {
        let file = world.file("a.so")
        try FixtureOverlay.build(file, [#"NAME="One""#])
        let first = try copy(file)
        try FixtureOverlay.build(file, [#"NAME="Two""#])
        let second = try copy(file)
        #expect(FileManager.default.fileExists(atPath: first))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -120)], ofItemAtPath: first)
        try FixtureOverlay.build(file, [#"NAME="Three""#])
        _ = try copy(file)
        #expect(!FileManager.default.fileExists(atPath: first))
        #expect(FileManager.default.fileExists(atPath: second))
    }

    @Test("Copies of a folder that is gone are removed after a day, those of others after a week")
    func abandoned() throws {
        func age(_ copy: String, days: Double) throws {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -days * 86_400 - 60)],
                ofItemAtPath: (copy as NSString).deletingLastPathComponent)
        }
        func other(_ name: String) throws -> String {
            let folder = world.folder.path(name)
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
            try FixtureOverlay.build(folder + "/b.so")
            return try copy(folder + "/b.so")
        }
        let (gone, there, old, fresh) = (
            try other("gone"), try other("there"), try other("old"), try other("fresh")
        )
        for name in ["gone", "fresh"] {
            try FileManager.default.removeItem(atPath: world.folder.path(name))
        }
        try age(gone, days: 1)
        try age(there, days: 1)
        try age(old, days: 7)
        try FixtureOverlay.build(world.file("a.so"))
        _ = try copy(world.file("a.so"))
        #expect(!FileManager.default.fileExists(atPath: gone))
        // The link to the origin of the copies is removed, but not its target.
        #expect(FileManager.default.fileExists(atPath: world.folder.path("old/b.so")))
        #expect(!FileManager.default.fileExists(atPath: old))
        #expect(FileManager.default.fileExists(atPath: there))
        #expect(FileManager.default.fileExists(atPath: fresh))
    }

    @Test("A copy that is in use is not removed as abandoned")
    func used() throws {
        let folder = world.folder.path("used")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try FixtureOverlay.build(folder + "/b.so")
        try FixtureOverlay.build(folder + "/c.so")
        let (first, second) = (try copy(folder + "/b.so"), try copy(folder + "/c.so"))
        let old: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSinceNow: -8 * 86_400)]
        for path in [first, second, (first as NSString).deletingLastPathComponent] {
            try FileManager.default.setAttributes(old, ofItemAtPath: path)
        }
        #expect(try copy(folder + "/b.so") == first)
        try FixtureOverlay.build(world.file("a.so"))
        _ = try copy(world.file("a.so"))
        #expect(FileManager.default.fileExists(atPath: first))
        try FixtureOverlay.build(folder + "/d.so")
        _ = try copy(folder + "/d.so")
        #expect(FileManager.default.fileExists(atPath: first))
        #expect(!FileManager.default.fileExists(atPath: second))
    }

    @Test("A copy that has been removed is made again from the same file, and not from a changed one")
    func renewed() throws {
        let file = world.file("a.so")
        try FixtureOverlay.build(file)
        let first = try copy(file)
        try FileManager.default.removeItem(
            atPath: ((first as NSString).deletingLastPathComponent as NSString).deletingLastPathComponent)
        let copies = PrivateCopies(paths: world.paths)
        try copies.renew(first, of: file)
        #expect(FileManager.default.contentsEqual(atPath: first, andPath: file))
        try FileManager.default.removeItem(atPath: first)
        try FixtureOverlay.build(file, [#"NAME="Other""#])
        #expect(throws: OverlayRefusal.self) { try copies.renew(first, of: file) }
        #expect(!FileManager.default.fileExists(atPath: first))
    }

    @Test("A copy finds ../runtime of the folder it came from")
    func runtime() throws {
        try FileManager.default.createDirectory(
            atPath: world.folder.path("runtime"), withIntermediateDirectories: false)
        try FixtureOverlay.build(world.file("a.so"))
        let copy = try copy(world.file("a.so"))
        let link = URL(fileURLWithPath: copy).appendingPathComponent("../../runtime").standardized.path
        #expect(URL(fileURLWithPath: link).resolvingSymlinksInPath().path == world.folder.path("runtime"))
    }

    @Test("An unusable base folder is skipped; if there are no others, the reasons are reported")
    func unusableBases() throws {
        try FixtureOverlay.build(world.file("a.so"))
        try FileManager.default.createSymbolicLink(
            atPath: world.folder.path("run/overlayhost"), withDestinationPath: world.plugins)
        #expect(try copy(world.file("a.so")).hasPrefix(world.folder.path("overlayhost-")))
        let nowhere = HostPaths(
            environment: [
                "XDG_RUNTIME_DIR": world.folder.path("run"), "TMPDIR": world.folder.path("none"),
                "XDG_CACHE_HOME": world.file("a.so"),
            ], executable: nil)
        let refusal = #expect(throws: OverlayRefusal.self) { try copy(world.file("a.so"), paths: nowhere) }
        #expect(refusal?.code == .copyFailed)
        #expect(refusal?.message.contains("not a folder") == true)
        #expect(refusal?.message.contains("none/overlayhost-") == true)
        #expect(refusal?.message.contains("a.so/overlayhost/copies") == true)
    }

    @Test("A copy that cannot be written because of a full disk says so, and how to go on")
    func noSpace() {
        let full = PrivateCopies.notWritten("/tmp/x.so cannot be written", ENOSPC)
        #expect(full.code == .copyFailed)
        #expect(full.message.contains("No space left on device"))
        #expect(full.hint?.hasPrefix("Free some space") == true)
        let other = PrivateCopies.notWritten("/tmp/x.so cannot be written", EACCES)
        #expect(other.hint?.contains("XDG_RUNTIME_DIR") == true)
    }
}
