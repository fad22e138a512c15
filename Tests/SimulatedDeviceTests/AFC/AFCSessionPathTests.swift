import SimulatedDevice
import DeviceWire
import Foundation
import Testing

@Suite("A simulated device answers requests on paths as a real one does")
struct AFCSessionPathTests {
    @Test("A listing has the two dots and every name, and a path may lack its slash")
    func listing() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.put("/Books/Grüße.epub", "x")
        try test.put("/Books/日本/a", "x")
        try test.put("/Books/.hidden", "x")
        let raw = try client.data(.readDirectory(path: "/Books"))
        #expect(Array(raw.prefix(5)) == [0x2E, 0, 0x2E, 0x2E, 0])
        #expect(try client.names("/Books") == [".hidden", "Grüße.epub", "日本"])
        #expect(try client.names("Books/") == [".hidden", "Grüße.epub", "日本"])
        #expect(try client.names("/") == ["Books"])
        #expect(try client.names("/Books/./日本/../日本") == ["a"])
        #expect(try client.status(.readDirectory(path: "/Books/.hidden")) == .readError)
        #expect(try client.status(.readDirectory(path: "/none")) == .objectNotFound)
        #expect(try client.status(.readDirectory(path: "/Books/.hidden/x")) == .objectNotFound)
    }

    @Test("Information includes kind, size, times and the target of a link")
    func information() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.put("/a", "hello")
        #expect(try client.status(.makeLink(kind: 2, target: "a", link: "/symbolic")) == .success)
        #expect(try client.status(.makeLink(kind: 1, target: "/a", link: "/hard")) == .success)
        let nanoseconds: UInt64 = 1_700_000_000_123_456_000
        #expect(try client.status(.setFileModTime(path: "/symbolic", nanoseconds: nanoseconds)) == .success)
        let file = try client.information("/a")
        #expect(file.kind == .file)
        #expect(file.size == 5)
        #expect(file.linkCount == 2)
        #expect(file.modified == Int64(nanoseconds))
        #expect((file.born ?? 0) > 0)
        #expect(file.linkTarget == nil)
        let link = try client.information("/symbolic")
        #expect(link.kind == .symbolicLink)
        #expect(link.linkTarget == "a")
        #expect(try client.information("/").kind == .folder)
        #expect(try client.status(.getFileInfo(path: "/none")) == .objectNotFound)
    }

    @Test("A folder's size changes when an entry is added")
    func folderSize() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.put("/covers/1", "x")
        let before = try client.information("/covers").size
        try test.put("/covers/2", "x")
        #expect(try client.information("/covers").size != before)
    }

    @Test("Device information has the model and the sizes of the settings")
    func deviceInformation() throws {
        let test = try AFCTestDevice {
            $0.productType = "iPad13,4"
            $0.totalBytes = 1000
            $0.freeBytes = 600
        }
        let info = try AFCDeviceInfo(decoding: try test.connect().data(.getDeviceInfo))
        #expect(info == AFCDeviceInfo(model: "iPad13,4", totalBytes: 1000, freeBytes: 600, blockSize: 4096))
    }

    @Test("Removing takes files, links and empty folders, and answers 1 for a folder with content")
    func removing() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.put("/folder/file", "x")
        #expect(try client.status(.makeLink(kind: 2, target: "folder", link: "/link")) == .success)
        #expect(try client.status(.removePath(path: "/folder")) == .unknownError)
        #expect(try client.status(.removePath(path: "/link")) == .success)
        #expect(test.content("/folder/file") == "x")
        #expect(try client.status(.removePath(path: "/folder/file")) == .success)
        #expect(try client.status(.removePath(path: "/folder")) == .success)
        #expect(try client.status(.removePath(path: "/folder")) == .objectNotFound)
        #expect(try client.status(.removePath(path: "/")) == .permissionDenied)
        #expect(try client.status(.removePathAndContents(path: "/..")) == .permissionDenied)
    }

    @Test("A tree goes with one request, and links in it are not followed")
    func removingTrees() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.put("/keep/file", "x")
        try test.put("/tree/a/b/c", "x")
        try test.put("/tree/d", "x")
        #expect(try client.status(.makeLink(kind: 2, target: "/keep", link: "/tree/a/link")) == .success)
        #expect(try client.status(.removePathAndContents(path: "/tree")) == .success)
        #expect(try client.names("/") == ["keep"])
        #expect(test.content("/keep/file") == "x")
        #expect(try client.status(.removePathAndContents(path: "/keep/file")) == .success)
        #expect(try client.status(.removePathAndContents(path: "/none")) == .objectNotFound)
    }

    @Test("A folder is made with its parents, and making it again is fine")
    func makingFolders() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        for _ in 1...2 { #expect(try client.status(.makeDirectory(path: "/a/b/c")) == .success) }
        #expect(try client.names("/a/b") == ["c"])
        try test.put("/file", "x")
        #expect(try client.status(.makeDirectory(path: "/file")) == .objectExists)
        #expect(try client.status(.makeDirectory(path: "/file/below")) == .objectNotFound)
        #expect(try client.status(.makeDirectory(path: "/")) == .success)
    }

    @Test("Renaming replaces a file, moves folders, and refuses impossible moves")
    func renaming() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.put("/a", "new")
        try test.put("/b", "old")
        try test.put("/folder/file", "x")
        func rename(_ from: String, _ to: String) throws -> AFCStatus {
            try client.status(.renamePath(from: from, to: to))
        }
        #expect(try rename("/a", "/b") == .success)
        #expect(test.content("/b") == "new")
        #expect(test.content("/a") == nil)
        #expect(try rename("/b", "/folder/b") == .success)
        #expect(try rename("/folder", "/moved") == .success)
        #expect(try client.names("/moved") == ["b", "file"])
        #expect(try rename("/none", "/x") == .objectNotFound)
        #expect(try rename("/moved/b", "/none/b") == .objectNotFound)
        #expect(try rename("/moved/b", "/moved") == .objectIsDirectory)
        #expect(try rename("/moved", "/moved/b") == .objectExists)
        #expect(try rename("/moved", "/moved/inside") == .invalidArgument)
        #expect(try rename("/moved/b", "/moved/b") == .success)
        #expect(try rename("/", "/x") == .permissionDenied)
        try test.put("/full/file", "x")
        #expect(try rename("/moved", "/full") == .unknownError)
    }

    @Test("A file is cut by path, a folder is not")
    func truncating() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.put("/a", "0123456789")
        #expect(try client.status(.truncate(path: "/a", size: 4)) == .success)
        #expect(test.content("/a") == "0123")
        #expect(try client.status(.truncate(path: "/", size: 4)) == .objectIsDirectory)
        #expect(try client.status(.truncate(path: "/none", size: 4)) == .objectNotFound)
        #expect(try client.status(.truncate(path: "/a", size: .max)) == .invalidArgument)
    }

    @Test("Links to nothing are made, those above the root or of an unknown kind are not")
    func links() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        func link(_ kind: UInt64, _ target: String, _ link: String) throws -> AFCStatus {
            try client.status(.makeLink(kind: kind, target: target, link: link))
        }
        #expect(try link(2, "nothing", "/dangling") == .success)
        #expect(try client.status(.fileOpen(path: "/dangling", mode: 1)) == .objectNotFound)
        _ = try client.open("/dangling", .write)
        #expect(test.content("/nothing") == "")
        #expect(try link(2, "/nothing", "/dangling") == .objectExists)
        #expect(try link(2, "../outside", "/up") == .permissionDenied)
        #expect(try link(2, "/../outside", "/up") == .permissionDenied)
        #expect(try link(1, "/none", "/hard") == .objectNotFound)
        #expect(try link(3, "/nothing", "/x") == .invalidArgument)
        #expect(try client.names("/") == ["dangling", "nothing"])
    }

    @Test("Links that lead in a circle end with an error")
    func circles() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        #expect(try client.status(.makeLink(kind: 2, target: "b", link: "/a")) == .success)
        #expect(try client.status(.makeLink(kind: 2, target: "/a/x", link: "/b")) == .success)
        #expect(try client.status(.readDirectory(path: "/a")) == .invalidArgument)
        #expect(try client.status(.removePath(path: "/a")) == .success)
    }

    @Test("A path of too many folders is refused, not followed to exhaustion")
    func depth() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        let deep = String(repeating: "/d", count: 129)
        #expect(try client.status(.makeDirectory(path: deep)) == .invalidArgument)
        #expect(try client.status(.makeDirectory(path: String(deep.dropLast(2)))) == .success)
    }
}
