import DeviceTransport
import Foundation
import OverlayABI
import TestSupport
import Testing

@testable import OverlayServices
@testable import OverlayHost

@Suite("Small files of overlays are stored completely, separately, and within their folder")
struct StorageTests {
    private let folder: TemporaryFolder
    private let place: StorageFolders

    init() throws {
        folder = try TemporaryFolder()
        place = StorageFolders(caches: folder.path("c/storage"), data: folder.path("d/storage"))
    }

    private func storage(_ overlay: String = "marvin", udid: String = "0000-AB", app: String = "com.x.y")
        -> OverlayStorage
    {
        OverlayStorage(place, overlay: overlay, udid: udid, appID: app)
    }

    private func read(_ storage: OverlayStorage, _ area: OverlayStorage.Area, _ key: String) throws -> [UInt8]
    {
        let value = try storage.read(area, key)
        var bytes: [UInt8] = []
        try value.forEachPiece { piece, offset throws(HostError) in
            #expect(offset == UInt64(bytes.count))
            bytes += piece
        }
        #expect(UInt64(bytes.count) == value.size)
        return bytes
    }

    private func write(
        _ storage: OverlayStorage, _ area: OverlayStorage.Area, _ key: String, _ bytes: [UInt8]
    ) throws {
        try bytes.withUnsafeBytes { try storage.write(area, key, $0) }
    }

    private func code(_ body: () throws(HostError) -> Void) -> HostError.Code? { hostError(body)?.code }

    /// All files below a folder of the test, by their paths in it.
    private func files(_ name: String = "") throws -> [String] {
        let root = folder.url.appendingPathComponent(name)
        guard let all = FileManager.default.enumerator(atPath: root.path) else { return [] }
        return all.compactMap { $0 as? String }.filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(
                atPath: root.appendingPathComponent(path).path, isDirectory: &isFolder) && !isFolder.boolValue
        }.sorted()
    }

    @Test("A written value can be read, by another host as well, and a later value replaces it")
    func roundTrip() throws {
        let long = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for area in OverlayStorage.Area.allCases {
            for bytes in [[], [7], long, [1, 2]] as [[UInt8]] {
                try write(storage(), area, "a.B_c-9", bytes)
                #expect(try read(storage(), area, "a.B_c-9") == bytes)
            }
        }
        #expect(
            try files() == [
                "c/storage/marvin/0000ab/com.x.y/a.B_c-9", "d/storage/marvin/0000ab/com.x.y/a.B_c-9",
            ])
    }

    @Test("A missing key is not found, and removing it succeeds")
    func absent() throws {
        let storage = storage()
        #expect(code { () throws(HostError) in _ = try storage.read(.cache, "x") } == .notFound)
        try storage.remove(.cache, "x")
        #expect(try storage.keys(.data).isEmpty)
        #expect(try files().isEmpty)
        try write(storage, .cache, "x", [1])
        #expect(code { () throws(HostError) in _ = try storage.read(.data, "x") } == .notFound)
        try storage.remove(.cache, "x")
        #expect(code { () throws(HostError) in _ = try storage.read(.cache, "x") } == .notFound)
    }

    @Test("Keys come in the order of their bytes, without files that are not keys")
    func keys() throws {
        let storage = storage()
        for key in ["b", "B", "a.2", "a-1", "0"] { try write(storage, .data, key, []) }
        let place = folder.path("d/storage/marvin/0000ab/com.x.y")
        for name in [".new-1-2", "ä", "_x"] { #expect(writeFile(place + "/" + name, [])) }
        #expect(try storage.keys(.data) == ["0", "B", "a-1", "a.2", "b"])
    }

    /// Weakness 26 in docs/weaknesses.md.
    @Test(
        "Overlays, devices and apps have separate stored files, and the dash of a UDID does not matter"
    )
    func apart() throws {
        try write(storage(), .data, "k", [1])
        for other in [
            storage("marvin2"), storage(udid: "0000-AC"), storage(app: "com.x.z"),
            storage(app: "com.x.y/../com.x.y"),
        ] {
            #expect(code { () throws(HostError) in _ = try other.read(.data, "k") } == .notFound)
        }
        #expect(try read(storage(udid: "0000ab"), .data, "k") == [1])
    }

    @Test(
        "Names that could lead elsewhere become digests",
        arguments: [
            "..", ".", "", "../../../etc", "a/b", "/abs", "a\0b", "ä", "=x",
            String(repeating: "a", count: 129),
        ])
    func hostileNames(_ name: String) throws {
        let storage = storage(udid: name, app: name)
        try write(storage, .cache, "k", [5])
        #expect(try read(storage, .cache, "k") == [5])
        let found = try files()
        #expect(found.count == 1)
        let parts = found[0].split(separator: "/").map(String.init)
        #expect(parts.prefix(3) == ["c", "storage", "marvin"])
        #expect(parts.count == 6 && parts[4].hasPrefix("=") && parts[4].count == 65)
    }

    @Test("Files can be read only by their user")
    func modes() throws {
        try write(storage(), .data, "k", [1])
        func mode(_ path: String) throws -> Int {
            try #require(
                FileManager.default.attributesOfItem(atPath: folder.path(path))[.posixPermissions] as? Int)
        }
        #expect(try mode("d/storage/marvin/0000ab/com.x.y/k") == 0o600)
        for path in [
            "d/storage", "d/storage/marvin", "d/storage/marvin/0000ab", "d/storage/marvin/0000ab/com.x.y",
        ] {
            #expect(try mode(path) == 0o700)
        }
    }

    @Test("A symbolic link in the storage is not followed, neither as a key nor as a folder")
    func links() throws {
        let storage = storage()
        try write(storage, .cache, "k", [1])
        let place = folder.path("c/storage/marvin/0000ab/com.x.y")
        let secret = folder.path("secret")
        #expect(writeFile(secret, [9]))
        try FileManager.default.createSymbolicLink(atPath: place + "/link", withDestinationPath: secret)
        #expect(code { () throws(HostError) in _ = try storage.read(.cache, "link") } == .hostIO)
        // Writing replaces the link itself, never its target.
        try write(storage, .cache, "link", [2])
        #expect(readFile(secret) == [9])
        #expect(try read(storage, .cache, "link") == [2])

        let elsewhere = folder.path("elsewhere")
        try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
        try FileManager.default.removeItem(atPath: place)
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: elsewhere)
        #expect(throws: HostError.self) { try write(storage, .cache, "k", [3]) }
        #expect(throws: HostError.self) { _ = try storage.keys(.cache) }
        #expect(try files("elsewhere").isEmpty)
    }

    @Test("Anything but a file under a key is not taken for one")
    func noFile() throws {
        let storage = storage()
        try write(storage, .cache, "k", [1])
        let place = folder.path("c/storage/marvin/0000ab/com.x.y")
        try FileManager.default.createDirectory(atPath: place + "/d", withIntermediateDirectories: false)
        #expect(mkfifo(place + "/pipe", 0o600) == 0)
        #expect(code { () throws(HostError) in _ = try storage.read(.cache, "d") } == .hostIO)
        #expect(code { () throws(HostError) in _ = try storage.read(.cache, "pipe") } == .hostIO)
        #expect(throws: HostError.self) { try write(storage, .cache, "d", [1]) }
        #expect(try files("c").filter { $0.contains(".new") }.isEmpty)
    }

    @Test("A value that is being read stays whole when a new one takes its place")
    func replacedMeanwhile() throws {
        let storage = storage()
        let old = [UInt8](repeating: 1, count: 2_500_000)
        try write(storage, .cache, "k", old)
        let value = try storage.read(.cache, "k")
        var bytes: [UInt8] = []
        try value.forEachPiece { piece, _ throws(HostError) in
            if bytes.isEmpty {
                try storage.write(.cache, "k", UnsafeRawBufferPointer(start: nil, count: 0))
            }
            bytes += piece
        }
        #expect(bytes == old)
        #expect(try read(storage, .cache, "k") == [])
    }

    @Test("Leftovers of a writer that died an hour ago are removed, and those of a running one are not")
    func leftovers() throws {
        try write(storage(), .data, "k", [1])
        let place = folder.path("d/storage/marvin/0000ab/com.x.y")
        #expect(writeFile(place + "/.new-1-1", [1]) && writeFile(place + "/.new-1-2", [1]))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: place + "/.new-1-1")
        try write(storage(), .data, "l", [1])
        #expect(try files("d/storage/marvin/0000ab/com.x.y") == [".new-1-2", "k", "l"])
    }

    @Test(
        "An area holds a bounded number of keys and bytes, each area for itself, also what was there before")
    func limits() throws {
        func limited() -> OverlayStorage {
            OverlayStorage(
                place, overlay: "marvin", udid: "0000-AB", appID: "com.x.y",
                limits: OverlayStorage.Limits(keys: 3, bytes: 100))
        }
        func refused(_ storage: OverlayStorage, _ area: OverlayStorage.Area, _ key: String, _ count: Int)
            -> HostError.Code?
        {
            [UInt8](repeating: 1, count: count).withUnsafeBytes { bytes in
                code { () throws(HostError) in try storage.write(area, key, bytes) }
            }
        }
        let first = limited()
        #expect(refused(first, .cache, "a", 60) == nil)
        #expect(refused(first, .cache, "b", 41) == .noSpace)
        #expect(refused(first, .cache, "b", 40) == nil)
        #expect(refused(first, .data, "a", 100) == nil)
        // A replacement needs only the additional space.
        #expect(refused(first, .cache, "a", 61) == .noSpace)
        #expect(refused(first, .cache, "a", 59) == nil)
        #expect(refused(first, .cache, "c", 1) == nil)
        #expect(refused(first, .cache, "d", 0) == .noSpace)
        #expect(try first.keys(.cache) == ["a", "b", "c"])

        let second = limited()
        #expect(refused(second, .cache, "d", 0) == .noSpace)
        #expect(refused(second, .cache, "a", 60) == .noSpace)
        try second.remove(.cache, "b")
        #expect(refused(second, .cache, "a", 99) == nil)
        // A value that is too large can always be made smaller.
        #expect(
            writeFile(folder.path("c/storage/marvin/0000ab/com.x.y/a"), [UInt8](repeating: 1, count: 500)))
        #expect(refused(limited(), .cache, "c", 2) == .noSpace)
        #expect(refused(limited(), .cache, "a", 400) == nil)
    }

    @Test("The limits are those that the contract names")
    func contract() {
        let limits = OverlayStorage.Limits()
        #expect(UInt32(limits.keys) == OVL_STORAGE_KEYS_LIMIT)
        // The other constants have a type that Swift does not import.
        #expect(limits.bytes == 1_073_741_824 && OverlayStorage.largestValue == 268_435_456)
        #expect(UInt32(OverlayStorage.longestKey) == OVL_STORAGE_KEY_LIMIT)
    }

    @Test(
        "Keys follow their grammar",
        arguments: [
            ("a", true), ("0.x_Y-z", true), (String(repeating: "k", count: 128), true),
            (String(repeating: "k", count: 129), false), ("", false), (".a", false), ("-a", false),
            ("_a", false),
            ("a/b", false), ("..", false), ("a b", false), ("ä", false), ("a\0", false), ("a\n", false),
        ])
    func grammar(_ key: String, _ isKey: Bool) { #expect(OverlayStorage.isKey(key) == isKey) }
}

@Suite("The storage service answers where the contract allows, and refuses what it must")
struct StorageServiceTests {
    /// Calls `body` with the service's table within a method of the overlay.
    private func within(
        _ environment: FakeEnvironment, pure: Bool = false, _ body: @escaping (ovl_storage_service) -> Void
    ) throws {
        if pure {
            environment.fake.initialize = { [fake = environment.fake] _ in
                body(fake.storage)
                return OVL_OK
            }
        } else {
            environment.fake.books = { [fake = environment.fake] _, _, _ in
                body(fake.storage)
                return OVL_OK
            }
        }
        let instance = try environment.attached()
        if !pure { _ = try instance.books() }
        instance.destroy()
    }

    private func put(
        _ table: ovl_storage_service, _ area: UInt32, _ key: String, _ bytes: [UInt8]
    ) -> ovl_status? {
        bytes.lend { view in withText(key) { table.put?(table.ctx, area, $0, view, nil) ?? -1 }
        }
    }

    private func get(_ table: ovl_storage_service, _ area: UInt32, _ key: String) -> (ovl_status?, [UInt8]) {
        var bytes: [UInt8] = []
        let receiver = BytesReceiver { piece, _ in
            bytes += piece
            return true
        }
        let status = receiver.sink { sink in withText(key) { table.get?(table.ctx, area, $0, sink, nil) } }
        return (status, bytes)
    }

    @Test(
        "Values are kept for the overlay, also within a method that only computes", arguments: [false, true])
    func roundTrip(_ pure: Bool) throws {
        let environment = try FakeEnvironment()
        try within(environment, pure: pure) { table in
            #expect(put(table, OVL_STORAGE_DATA, "k", [1, 2, 3]) == OVL_OK)
            #expect(get(table, OVL_STORAGE_DATA, "k") == (OVL_OK, [1, 2, 3]))
            #expect(get(table, OVL_STORAGE_CACHE, "k").0 == OVL_NOT_FOUND)
            #expect(withText("k") { table.remove?(table.ctx, OVL_STORAGE_DATA, $0, nil) } == OVL_OK)
            #expect(get(table, OVL_STORAGE_DATA, "k").0 == OVL_NOT_FOUND)
            #expect(put(table, OVL_STORAGE_CACHE, "empty", []) == OVL_OK)
            #expect(get(table, OVL_STORAGE_CACHE, "empty") == (OVL_OK, []))
        }
        let place = environment.storage.caches + "/fake/" + environment.device.device.udid.lowercased()
        #expect(readFile(place + "/com.example.reader/empty") == [])
    }

    @Test("Impossible areas, keys and values are refused and leave nothing")
    func refusals() throws {
        let environment = try FakeEnvironment()
        try within(environment) { table in
            for key in ["", "..", "../k", "a/b", "ä", ".hidden", String(repeating: "x", count: 129)] {
                #expect(put(table, OVL_STORAGE_DATA, key, [1]) == OVL_INVALID_ARGUMENT)
                #expect(get(table, OVL_STORAGE_DATA, key).0 == OVL_INVALID_ARGUMENT)
                #expect(
                    withText(key) { table.remove?(table.ctx, OVL_STORAGE_DATA, $0, nil) }
                        == OVL_INVALID_ARGUMENT)
            }
            for area: UInt32 in [0, 3, .max] {
                #expect(put(table, area, "k", [1]) == OVL_INVALID_ARGUMENT)
                #expect(get(table, area, "k").0 == OVL_INVALID_ARGUMENT)
            }
            var absent = ovl_bytes()
            #expect(
                withText("k") { table.put?(table.ctx, OVL_STORAGE_DATA, $0, &absent, nil) }
                    == OVL_INVALID_ARGUMENT)
            var byte: UInt8 = 0
            withUnsafePointer(to: &byte) { byte in
                var large = ovl_bytes(data: byte, size: UInt64(OverlayStorage.largestValue) + 1)
                #expect(
                    withText("k") { table.put?(table.ctx, OVL_STORAGE_DATA, $0, &large, nil) }
                        == OVL_INVALID_ARGUMENT)
            }
        }
        #expect(!FileManager.default.fileExists(atPath: environment.storage.data))
    }

    @Test("Storage is refused while no method runs, and on another thread")
    func outside() throws {
        let environment = try FakeEnvironment()
        let instance = try environment.attached()
        let table = environment.fake.storage
        #expect(put(table, OVL_STORAGE_DATA, "k", [1]) == OVL_WRONG_STATE)
        #expect(get(table, OVL_STORAGE_DATA, "k").0 == OVL_WRONG_STATE)
        instance.destroy()
    }

    @Test("A receiver that wants no more ends the call")
    func stops() throws {
        let environment = try FakeEnvironment()
        try within(environment) { table in
            #expect(put(table, OVL_STORAGE_CACHE, "k", [UInt8](repeating: 1, count: 3 << 20)) == OVL_OK)
            var pieces = 0
            let receiver = BytesReceiver { _, _ in
                pieces += 1
                return false
            }
            let status = receiver.sink { sink in
                withText("k") { table.get?(table.ctx, OVL_STORAGE_CACHE, $0, sink, nil) }
            }
            #expect(status == OVL_STOPPED)
            #expect(pieces == 1)
        }
    }
}
