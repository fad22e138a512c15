import DeviceWire
import Foundation
import Testing

@Suite("A simulated device reads and writes open files as a real one does")
struct AFCSessionFileTests {
    @Test(
        "Each mode reads, writes, makes, empties and appends as the protocol says",
        arguments: AFCOpenMode.allCases)
    func modes(mode: AFCOpenMode) throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.put("/old", "0123456789")
        let made = try client.ask(.fileOpen(path: "/new", mode: mode.rawValue))
        #expect((made == .status(.objectNotFound)) == !mode.creates)
        #expect((test.content("/new") == "") == mode.creates)

        let handle = try client.open("/old", mode)
        #expect(test.content("/old") == (mode.truncates ? "" : "0123456789"))
        let written = try client.write(handle, "abc")
        #expect(written == (mode.canWrite ? .success : .permissionDenied))
        let expected =
            switch mode {
            case .read: "0123456789"
            case .readWrite: "abc3456789"
            case .write, .readWriteTruncate: "abc"
            case .append, .readAppend: "0123456789abc"
            }
        #expect(test.content("/old") == expected)
        #expect(try client.status(.fileSeek(handle: handle, origin: 0, offset: 0)) == .success)
        let read = try client.ask(.fileRead(handle: handle, length: 100))
        #expect(read == (mode.canRead ? .data(Array(expected.utf8)) : .status(.permissionDenied)))
    }

    @Test("Opening what is not a file names the reason")
    func openFailures() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.put("/folder/file", "x")
        func status(_ path: String, _ mode: UInt64) throws -> AFCStatus {
            try client.status(.fileOpen(path: path, mode: mode))
        }
        #expect(try status("/none", 1) == .objectNotFound)
        #expect(try status("/none/file", 3) == .objectNotFound)
        #expect(try status("/folder/file/below", 3) == .objectNotFound)
        for mode in UInt64(1)...6 { #expect(try status("/folder", mode) == .objectIsDirectory) }
        #expect(try status("/", 1) == .objectIsDirectory)
        #expect(try status("/folder/file", 0) == .invalidArgument)
        #expect(try status("/folder/file", 7) == .invalidArgument)
        #expect(mkfifo(test.host("/pipe"), 0o600) == 0)
        #expect(try status("/pipe", 1) == .permissionDenied)
        #expect(try status("/" + String(repeating: "x", count: 256), 3) == .invalidArgument)
    }

    @Test("Reading goes on where it stopped and answers no bytes at the end")
    func reading() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.put("/a", "hello world")
        let handle = try client.open("/a", .read)
        #expect(try client.read(handle, 5) == "hello")
        #expect(try client.position(handle) == 5)
        #expect(try client.read(handle, .max) == " world")
        #expect(try client.data(.fileRead(handle: handle, length: 100)).isEmpty)
        #expect(try client.status(.fileSeek(handle: handle, origin: 0, offset: 1000)) == .success)
        #expect(try client.data(.fileRead(handle: handle, length: 100)).isEmpty)
        #expect(try client.data(.fileRead(handle: handle, length: 0)).isEmpty)
    }

    @Test("A read of more than the device answers at once is answered in part")
    func hugeRead() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        let handle = try client.open("/big", .readWriteTruncate)
        let size = UInt64(20 << 20)
        #expect(try client.status(.fileSetSize(handle: handle, size: size)) == .success)
        let first = try client.data(.fileRead(handle: handle, length: size)).count
        let second = try client.data(.fileRead(handle: handle, length: size)).count
        #expect(first == 16 << 20)
        #expect(UInt64(first + second) == size)
    }

    @Test("Seeking counts from the start, the position and the end, and not to before the start")
    func seeking() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.put("/a", "0123456789")
        let handle = try client.open("/a", .readWrite)
        func seek(_ origin: UInt64, _ offset: Int64) throws -> AFCStatus {
            try client.status(.fileSeek(handle: handle, origin: origin, offset: offset))
        }
        #expect(try seek(0, 4) == .success)
        #expect(try seek(1, -1) == .success)
        #expect(try client.read(handle, 2) == "34")
        #expect(try seek(2, -3) == .success)
        #expect(try client.read(handle) == "789")
        #expect(try seek(0, -1) == .invalidArgument)
        #expect(try seek(3, 0) == .invalidArgument)
        #expect(try seek(2, 2) == .success)
        #expect(try client.write(handle, "x") == .success)
        #expect(test.content("/a") == "0123456789\0\0x")
    }

    @Test("An open file can be cut and lengthened, one open for reading cannot")
    func setSize() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.put("/a", "0123456789")
        let handle = try client.open("/a", .readWrite)
        #expect(try client.status(.fileSetSize(handle: handle, size: 3)) == .success)
        #expect(test.content("/a") == "012")
        #expect(try client.status(.fileSetSize(handle: handle, size: 5)) == .success)
        #expect(test.content("/a") == "012\0\0")
        #expect(try client.status(.fileSetSize(handle: handle, size: .max)) == .invalidArgument)
        let reading = try client.open("/a", .read)
        #expect(try client.status(.fileSetSize(handle: reading, size: 0)) == .permissionDenied)
    }

    @Test("A handle that was never given, or was closed, is an invalid argument to every operation")
    func unknownHandles() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.put("/a", "x")
        let closed = try client.open("/a", .readWrite)
        #expect(closed != 0)
        #expect(try client.status(.fileClose(handle: closed)) == .success)
        for handle in [0, closed, closed + 1, .max] {
            #expect(try client.status(.fileRead(handle: handle, length: 1)) == .invalidArgument)
            #expect(try client.write(handle, "payload") == .invalidArgument)
            #expect(try client.status(.fileSeek(handle: handle, origin: 0, offset: 0)) == .invalidArgument)
            #expect(try client.status(.fileTell(handle: handle)) == .invalidArgument)
            #expect(try client.status(.fileSetSize(handle: handle, size: 0)) == .invalidArgument)
            #expect(try client.status(.fileLock(handle: handle, operation: 5)) == .invalidArgument)
            #expect(try client.status(.fileClose(handle: handle)) == .invalidArgument)
        }
        #expect(test.content("/a") == "x")
    }

    @Test("Handles belong to their connection and are bounded in number")
    func handles() throws {
        let test = try AFCTestDevice()
        let first = try test.connect()
        let second = try test.connect()
        try test.put("/a", "x")
        let handle = try first.open("/a", .read)
        #expect(try second.status(.fileRead(handle: handle, length: 1)) == .invalidArgument)
        for _ in 1..<128 { _ = try first.open("/a", .read) }
        #expect(try first.status(.fileOpen(path: "/a", mode: 1)) == .noResources)
        #expect(try first.status(.fileClose(handle: handle)) == .success)
        #expect(try first.open("/a", .read) > 128)
    }

    @Test("A large payload is stored whole")
    func largeWrite() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        let payload = (0..<(3 << 20) + 17).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        let handle = try client.open("/big", .write)
        #expect(
            try client.status(.fileWrite(handle: handle, payloadLength: payload.count), payload: payload)
                == .success)
        #expect(FileManager.default.contents(atPath: test.host("/big")) == Data(payload))
        #expect(try client.status(.fileWrite(handle: handle, payloadLength: 0)) == .success)
    }

    @Test("A lock keeps others away until it is given back or its connection ends")
    func locks() throws {
        let test = try AFCTestDevice()
        let mine = try test.connect()
        try test.put("/a", "x")
        let own = try mine.open("/a", .readWrite)
        func lock(_ client: AFCTestClient, _ handle: UInt64, _ operation: UInt64) throws -> AFCStatus {
            try client.status(.fileLock(handle: handle, operation: operation))
        }
        do {
            let theirs = try test.connect()
            let other = try theirs.open("/a", .readWrite)
            #expect(try lock(theirs, other, 6) == .success)
            #expect(try lock(mine, own, 5) == .operationWouldBlock)
            #expect(try lock(theirs, other, 12) == .success)
            #expect(try lock(mine, own, 5) == .success)
            #expect(try lock(theirs, other, 5) == .success)
            #expect(try lock(mine, own, 6) == .operationWouldBlock)
        }
        #expect(try lock(mine, own, 6) == .success)
        #expect(try lock(mine, own, 1) == .invalidArgument)
    }
}
