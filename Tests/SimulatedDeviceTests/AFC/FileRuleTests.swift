import DeviceWire
import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("The rules of files are those of the settings")
struct FileRuleTests {
    private static let composed = "/Caf\u{E9}/na\u{EF}ve.epub"
    private static let decomposed = "/Cafe\u{301}/nai\u{308}ve.epub"

    /// The bytes of the names in a folder, because Swift treats composed and decomposed names as equal.
    private func names(_ client: AFCTestClient, _ path: String) throws -> [[UInt8]] {
        try client.names(path).map { Array($0.utf8) }
    }

    private func create(_ client: AFCTestClient, _ path: String) throws {
        #expect(try client.status(.fileClose(handle: client.open(path, .write))) == .success)
    }

    @Test(
        "More files than the limit are not open at once, on one connection or several", arguments: [1, 4])
    func openFiles(_ limit: Int) throws {
        let test = try AFCTestDevice { $0.fileRules.openFileLimit = limit }
        try test.put("/a", "x")
        let (first, second) = (try test.connect(), try test.connect())
        let handles = try (0..<limit).map { _ in try first.open("/a", .read) }
        let open = AFCRequest.fileOpen(path: "/a", mode: AFCOpenMode.read.rawValue)
        #expect(try first.status(open) == .noResources)
        #expect(try second.status(open) == .noResources)
        #expect(try second.status(.fileOpen(path: "/new", mode: AFCOpenMode.write.rawValue)) == .noResources)
        #expect(test.content("/new") == nil)
        #expect(try first.status(.fileClose(handle: handles[0])) == .success)
        // An open that fails does not count.
        #expect(
            try second.status(.fileOpen(path: "/none", mode: AFCOpenMode.read.rawValue)) == .objectNotFound)
        _ = try second.open("/a", .read)
        #expect(try second.status(open) == .noResources)
    }

    @Test("The files of a connection that ends are closed")
    func endOfConnection() throws {
        let test = try AFCTestDevice { $0.fileRules.openFileLimit = 1 }
        try test.put("/a", "x")
        func openOnce() throws { _ = try test.connect().open("/a", .read) }
        // Each client waits for the end of its session.
        try openOnce()
        try openOnce()
    }

    @Test("Names are found byte for byte, or by canonical equivalence", arguments: FileRules.Names.allCases)
    func finding(_ form: FileRules.Names) throws {
        let test = try AFCTestDevice { $0.fileRules.names = form }
        let client = try test.connect()
        #expect(try client.status(.makeDirectory(path: "/Caf\u{E9}")) == .success)
        try create(client, Self.composed)
        #expect(try client.information(Self.composed).kind == .file)
        let other = try client.ask(.getFileInfo(path: Self.decomposed))
        if form == .exact {
            #expect(other == .status(.objectNotFound))
        } else {
            #expect(try client.information(Self.decomposed).kind == .file)
            try create(client, Self.decomposed)
            #expect(try client.names("/").count == 1)
            #expect(try client.names("/Cafe\u{301}").count == 1)
            #expect(try client.status(.removePathAndContents(path: "/Cafe\u{301}")) == .success)
            #expect(try client.names("/").isEmpty)
        }
    }

    @Test("Names are kept as they are written, or decomposed", arguments: FileRules.Names.allCases)
    func keeping(_ form: FileRules.Names) throws {
        let test = try AFCTestDevice { $0.fileRules.names = form }
        let client = try test.connect()
        try create(client, "/caf\u{E9}")
        let kept = form == .decomposed ? "cafe\u{301}" : "caf\u{E9}"
        #expect(try names(client, "/") == [Array(kept.utf8)])
        let onHost = try FileManager.default.contentsOfDirectory(atPath: test.host("/"))
        #expect(onHost.map { Array($0.utf8) } == [Array(kept.utf8)])
        // A rename to the other form of the same name replaces nothing.
        try test.device.update { $0.fileRules.renameReplaces = false }
        if form != .exact {
            #expect(try client.status(.renamePath(from: "/caf\u{E9}", to: "/cafe\u{301}")) == .success)
        }
    }

    @Test(
        "Composed names of an app are listed decomposed if the device decomposes names")
    func listing() throws {
        let test = try AFCTestDevice { $0.fileRules.names = .decomposed }
        try test.put("/Caf\u{E9}/x", "x")
        let client = try test.connect()
        #expect(try names(client, "/") == [Array("Cafe\u{301}".utf8)])
        #expect(try client.names("/Cafe\u{301}") == ["x"])
    }

    @Test(
        "An existing folder is refused with 10, and parents are not made, where one folder is made at a time")
    func existingFolders() throws {
        let test = try AFCTestDevice { $0.fileRules.refusesExistingFolders = true }
        let client = try test.connect()
        #expect(try client.status(.makeDirectory(path: "/a/b")) == .objectNotFound)
        #expect(try client.status(.makeDirectory(path: "/a")) == .success)
        #expect(try client.status(.makeDirectory(path: "/a")) == .permissionDenied)
        #expect(try client.status(.makeDirectory(path: "/")) == .permissionDenied)
        #expect(try client.status(.makeDirectory(path: "/a/b")) == .success)
        try test.put("/file", "x")
        #expect(try client.status(.makeDirectory(path: "/file")) == .objectExists)
    }

    @Test("A rename does not replace where the rules say so, and takes a free name anyway")
    func rename() throws {
        let test = try AFCTestDevice { $0.fileRules.renameReplaces = false }
        let client = try test.connect()
        try test.put("/a", "new")
        try test.put("/b", "old")
        #expect(try client.status(.renamePath(from: "/a", to: "/b")) == .objectExists)
        #expect(test.content("/b") == "old")
        #expect(try client.status(.renamePath(from: "/a", to: "/c")) == .success)
        #expect(test.content("/c") == "new")
    }

    @Test(
        "A folder that is to get the name of a file is refused with the status of the rules",
        arguments: [16, 8])
    func folderOntoFile(_ status: UInt64) throws {
        let test = try AFCTestDevice { $0.fileRules.folderOntoFileStatus = status }
        let client = try test.connect()
        try test.put("/folder/x", "x")
        try test.put("/file", "old")
        #expect(try client.status(.renamePath(from: "/folder", to: "/file")).rawValue == status)
        #expect(test.content("/file") == "old" && test.content("/folder/x") == "x")
    }

    @Test("A container itself takes no entries where the rules say so, and its folders do")
    func containerRoot() throws {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.iosVersion = "8.1"
        settings.fileRules.hasWritableContainerRoot = false
        settings.apps = [SimulatedApp(bundleID: "a.b", name: "A")]
        let folder = try TemporaryFolder()
        let device = try SimulatedDevice(folder: folder.url, settings: settings)
        let root = try ConfinedRoot(folder: device.containerFolder(of: "a.b").path)
        let client = try AFCTestClient(root: root, device: device, isContainer: true)
        for request in [
            AFCRequest.makeDirectory(path: "/new"), .makeDirectory(path: "/new/below"),
            .fileOpen(path: "/new", mode: AFCOpenMode.write.rawValue),
            .renamePath(from: "/tmp", to: "/new"), .removePathAndContents(path: "/tmp"),
            .makeLink(kind: 2, target: "tmp", link: "/new"),
        ] {
            #expect(try client.status(request) == .permissionDenied, "\(request)")
        }
        #expect(try client.names("/") == ["Documents", "Library", "tmp"])
        #expect(try client.status(.makeDirectory(path: "/Documents")) == .success)
        #expect(try client.status(.makeDirectory(path: "/Documents/new")) == .success)
        try create(client, "/tmp/file")
        #expect(try client.status(.renamePath(from: "/tmp/file", to: "/Documents/file")) == .success)
        // The media folder is not a container.
        let media = try AFCTestClient(
            root: try ConfinedRoot(folder: device.mediaFolder.path), device: device)
        #expect(try media.status(.makeDirectory(path: "/Books")) == .success)
    }

    @Test("A folder holds a file whose name is not UTF-8, which keeps the folder from being removed")
    func undecodableNames() throws {
        let test = try AFCTestDevice()
        try test.put("/Books/a", "x")
        try test.device.update { $0.fileRules.foldersWithUndecodableNames = ["/Books", "/none"] }
        let client = try test.connect()
        let listing = AFCDirectoryListing(decoding: try client.data(.readDirectory(path: "/Books")))
        #expect(listing.names == ["a"])
        #expect(listing.rejected.map(\.reason) == [.notUTF8])
        #expect(try client.status(.removePathAndContents(path: "/Books")) == .unknownError)
        #expect(try client.status(.readDirectory(path: "/none")) == .objectNotFound)
    }
}
