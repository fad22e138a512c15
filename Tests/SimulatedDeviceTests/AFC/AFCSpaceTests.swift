import SimulatedDevice
import DeviceWire
import Testing

@Suite("A simulated device runs out of space as its settings say")
struct AFCSpaceTests {
    @Test("A write over the free space stores its beginning and answers 18")
    func fullDisk() throws {
        let test = try AFCTestDevice { $0.freeBytes = 10 }
        let client = try test.connect()
        let handle = try client.open("/a", .readWriteTruncate)
        #expect(try client.write(handle, "0123456") == .success)
        #expect(try client.freeBytes() == 3)
        #expect(try client.write(handle, "789abc") == .noSpaceLeft)
        #expect(test.content("/a") == "0123456789")
        #expect(try client.freeBytes() == 0)
        #expect(try client.write(handle, "x") == .noSpaceLeft)
        #expect(try client.status(.fileSeek(handle: handle, origin: 0, offset: 0)) == .success)
        #expect(try client.write(handle, "over") == .success)
        #expect(test.content("/a") == "over456789")
    }

    @Test("Removing, cutting, emptying and replacing give space back")
    func givingBack() throws {
        let test = try AFCTestDevice { $0.freeBytes = 100 }
        let client = try test.connect()
        func store(_ path: String, _ count: Int) throws {
            let handle = try client.open(path, .write)
            #expect(try client.write(handle, String(repeating: "x", count: count)) == .success)
            #expect(try client.status(.fileClose(handle: handle)) == .success)
        }
        try store("/a", 40)
        try store("/b", 30)
        #expect(try client.freeBytes() == 30)
        try store("/a", 20)
        #expect(try client.freeBytes() == 50)
        #expect(try client.status(.renamePath(from: "/a", to: "/b")) == .success)
        #expect(try client.freeBytes() == 80)
        #expect(try client.status(.truncate(path: "/b", size: 5)) == .success)
        #expect(try client.freeBytes() == 95)
        #expect(try client.status(.makeDirectory(path: "/d")) == .success)
        try store("/d/c", 50)
        #expect(try client.freeBytes() == 45)
        #expect(try client.status(.removePathAndContents(path: "/d")) == .success)
        #expect(try client.freeBytes() == 95)
        #expect(try client.status(.removePath(path: "/b")) == .success)
        #expect(try client.freeBytes() == 100)
    }

    @Test("A name that shares its content gives nothing back until the last is gone")
    func hardLinks() throws {
        let test = try AFCTestDevice { $0.freeBytes = 100 }
        let client = try test.connect()
        _ = try client.write(try client.open("/a", .write), "0123456789")
        #expect(try client.status(.makeLink(kind: 1, target: "/a", link: "/b")) == .success)
        #expect(try client.status(.removePath(path: "/a")) == .success)
        #expect(try client.freeBytes() == 90)
        #expect(try client.status(.removePath(path: "/b")) == .success)
        #expect(try client.freeBytes() == 100)
    }

    @Test("Lengthening a file needs space as well, and a failure takes none")
    func lengthening() throws {
        let test = try AFCTestDevice { $0.freeBytes = 100 }
        let client = try test.connect()
        let handle = try client.open("/a", .write)
        #expect(try client.status(.fileSetSize(handle: handle, size: 101)) == .noSpaceLeft)
        #expect(try client.freeBytes() == 100)
        #expect(try client.status(.fileSetSize(handle: handle, size: 100)) == .success)
        #expect(try client.freeBytes() == 0)
        #expect(try client.status(.truncate(path: "/a", size: 101)) == .noSpaceLeft)
    }

    @Test("A gap before the written bytes counts, and what does not fit is not stored")
    func gap() throws {
        let test = try AFCTestDevice { $0.freeBytes = 10 }
        let client = try test.connect()
        let handle = try client.open("/a", .write)
        #expect(try client.status(.fileSeek(handle: handle, origin: 0, offset: 8)) == .success)
        #expect(try client.write(handle, "abcd") == .noSpaceLeft)
        #expect(test.content("/a") == "\0\0\0\0\0\0\0\0ab")
        #expect(try client.freeBytes() == 0)
        #expect(try client.status(.fileSeek(handle: handle, origin: 0, offset: 50)) == .success)
        #expect(try client.write(handle, "abcd") == .noSpaceLeft)
        #expect(try client.information("/a").size == 10)
    }

    @Test("Appended bytes count, at any position of the handle")
    func appending() throws {
        let test = try AFCTestDevice { $0.freeBytes = 12 }
        let client = try test.connect()
        try test.put("/a", "0123456789")
        let handle = try client.open("/a", .readAppend)
        #expect(try client.read(handle, 2) == "01")
        #expect(try client.write(handle, "abcdefgh") == .success)
        #expect(try client.freeBytes() == 4)
        #expect(try client.status(.fileSeek(handle: handle, origin: 0, offset: 0)) == .success)
        #expect(try client.write(handle, "ijklmnop") == .noSpaceLeft)
        #expect(test.content("/a") == "0123456789abcdefghijkl")
    }

    @Test("New settings count from then on")
    func newSettings() throws {
        let test = try AFCTestDevice { $0.freeBytes = 10 }
        let client = try test.connect()
        _ = try client.write(try client.open("/a", .write), "0123456789")
        #expect(try client.freeBytes() == 0)
        try test.device.update { $0.freeBytes = 25 }
        #expect(try client.freeBytes() == 25)
    }
}
