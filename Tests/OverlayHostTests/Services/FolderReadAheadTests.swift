import OverlayABI
import Synchronization
import TestSupport
import Testing

@testable import OverlayServices
@testable import OverlayHost

@Suite("A walk through many folders takes few round trips, and never shows outdated names")
struct FolderReadAheadTests {
    private let environment: FakeEnvironment
    /// Continues when a test says so.
    private let clock = Box<ContinuousClock.Instant>()

    init() throws {
        environment = try FakeEnvironment()
        let start = ContinuousClock.now
        clock.set(start)
        environment.now = { [clock] in clock.value ?? start }
        for number in 0..<100 { environment.device.files["/Documents/\(number)/a\(number)"] = [1] }
    }

    private var listings: [Int] { environment.device.files.listings.withLock { $0 }.map(\.count) }

    /// Runs `body` inside a method, after announcing the first `count` folders.
    private func within(_ count: Int, _ body: @escaping (ovl_transport_service) -> Void) throws {
        environment.fake.books = { [fake = environment.fake] _, _, _ in
            let table = fake.transport
            withTexts((0..<count).map { "/Documents/\($0)" }) { paths in
                let receiver = FileReceiver { _, status, _ in #expect(status == OVL_OK) }
                let status = receiver.sink { table.stat?(table.ctx, OVL_ROOT_DOCUMENTS, paths, $0, nil) }
                #expect(status == OVL_OK)
            }
            body(table)
            return OVL_OK
        }
        let instance = try environment.attached()
        _ = try instance.books()
        instance.destroy()
    }

    private func names(_ table: ovl_transport_service, _ number: Int) -> [String] {
        var names: [String] = []
        let receiver = FileReceiver { _, _, info in names.append(info?.name.readMessage() ?? "-") }
        withText("/Documents/\(number)") { path in
            let status = receiver.sink { table.list?(table.ctx, OVL_ROOT_DOCUMENTS, path, 0, $0, nil) }
            #expect(status == OVL_OK)
        }
        return names
    }

    @Test("A hundred folders are listed with four round trips")
    func walk() throws {
        try within(100) { table in
            for number in 0..<100 { #expect(names(table, number) == ["a\(number)"]) }
        }
        #expect(listings == [9, 17, 33, 41])
    }

    @Test("An overlay that takes a second for each folder soon gets one folder at a time")
    func slow() throws {
        try within(100) { table in
            for number in 0..<100 {
                #expect(names(table, number) == ["a\(number)"])
                clock.set(clock.value.map { $0 + FolderReadAhead.lifetime })
            }
        }
        #expect(listings == [9, 5, 3, 2] + Array(repeating: 1, count: 96))
    }

    @Test("An overlay that lists one folder requests one")
    func alone() throws {
        try within(1) { table in #expect(names(table, 0) == ["a0"]) }
        #expect(listings == [1])
    }

    @Test("A second listing of a folder asks the device again")
    func again() throws {
        try within(3) { table in
            for number in 0..<3 { _ = names(table, number) }
            environment.device.files["/Documents/2/b"] = [1]
            #expect(names(table, 2) == ["a2", "b"])
        }
    }

    @Test("A change of the overlay is visible in its next listing")
    func changed() throws {
        try within(3) { table in
            _ = names(table, 0)
            withText("/Documents/1/b") { path in
                let bytes: [UInt8] = [1]
                let status = bytes.withUnsafeBufferPointer { buffer in
                    withUnsafePointer(to: ovl_bytes(data: buffer.baseAddress, size: 1)) {
                        table.write?(table.ctx, OVL_ROOT_DOCUMENTS, path, $0, 0, nil)
                    }
                }
                #expect(status == OVL_OK)
            }
            #expect(names(table, 1) == ["a1", "b"])
        }
    }

    @Test("A change from another thread is refused, and touches nothing of the running method")
    func otherThread() throws {
        try within(3) { table in
            _ = names(table, 0)
            let (box, done, status) = (TableBox(table), Gate(), Box<ovl_status>())
            runOnThread {
                let table = box.table
                withText("/Documents/b") { path in
                    status.set(table.make_folder?(table.ctx, OVL_ROOT_DOCUMENTS, path, nil))
                }
                done.open()
            }
            done.wait()
            #expect(status.value == OVL_WRONG_STATE)
            _ = names(table, 1)
        }
        #expect(listings == [3])
    }

    @Test("Names read ahead are valid for one second, in one root, and for folders of the same depth")
    func lifetime() {
        let now = ContinuousClock.now
        var ahead = FolderReadAhead()
        ahead.found(["/a", "/b", "/c"], in: 1)
        #expect(ahead.companions(of: "/a", in: 1, at: now) == ["/b", "/c"])
        for folder in ["/b", "/c"] { ahead.keep([folder], of: folder, at: now) }
        #expect(ahead.take("/b", in: 1, at: now + .milliseconds(999)) == ["/b"])
        #expect(ahead.take("/b", in: 1, at: now) == nil)
        #expect(ahead.take("/c", in: 2, at: now) == nil)
        #expect(ahead.take("/c", in: 1, at: now + FolderReadAhead.lifetime) == nil)
        ahead.found(["/a/d", "/a/e"], in: 1)
        #expect(ahead.companions(of: "/b", in: 1, at: now) == [])
        #expect(ahead.companions(of: "/a/d", in: 1, at: now) == ["/a/e"])
    }

    @Test("Folders that the overlay has read, or is about to read, are not requested again")
    func known() {
        let now = ContinuousClock.now
        var ahead = FolderReadAhead()
        ahead.found(["/a", "/b", "/c", "/d"], in: 1)
        #expect(ahead.companions(of: "/c", in: 1, at: now) == ["/d"])
        ahead.keep(["d"], of: "/d", at: now)
        #expect(ahead.companions(of: "/a", in: 1, at: now) == ["/b"])
        ahead.keep(["b"], of: "/b", at: now)
        #expect(ahead.take("/d", in: 1, at: now) == ["d"])
        #expect(ahead.take("/b", in: 1, at: now) == ["b"])
        #expect(ahead.companions(of: "/a", in: 1, at: now) == [])
    }

    @Test(
        "A walk into the depth, which leaves names behind at each step, ends up asking for one folder at a time"
    )
    func depth() {
        let now = ContinuousClock.now
        var ahead = FolderReadAhead()
        let asked = (0..<6).map { depth in
            let folders = (0..<20).map { "/\(depth)/\($0)" }
            ahead.found(folders, in: 1)
            let companions = ahead.companions(of: folders[0], in: 1, at: now)
            for folder in companions { ahead.keep([], of: folder, at: now) }
            return companions.count
        }
        #expect(asked == [8, 4, 2, 1, 0, 0])
    }

    @Test("Names beyond a bound are not kept")
    func bounds() {
        let now = ContinuousClock.now
        let many = Array(repeating: "a", count: FolderReadAhead.mostNames - 1)
        let long = [String(repeating: "a", count: FolderReadAhead.mostBytes)]
        var ahead = FolderReadAhead()
        ahead.found(["/a", "/b", "/c", "/d"], in: 1)
        ahead.keep(many, of: "/a", at: now)
        ahead.keep(["b", "c"], of: "/b", at: now)
        ahead.keep(long, of: "/c", at: now)
        ahead.keep(["d"], of: "/d", at: now)
        #expect(ahead.take("/b", in: 1, at: now) == nil)
        #expect(ahead.take("/c", in: 1, at: now) == nil)
        #expect(ahead.take("/a", in: 1, at: now)?.count == many.count)
        #expect(ahead.take("/d", in: 1, at: now) == ["d"])
        ahead.keep(long, of: "/c", at: now)
        #expect(ahead.take("/c", in: 1, at: now) == long)
    }
}
