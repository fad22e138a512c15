import OverlayABI
import OverlayBridge
import OverlayKit
import OverlayKitTesting
import Testing

@Suite("Overlays sync a folder of the host in memory, which fails where a test wants it")
struct SourceTests {
    private let host = MemoryHost()

    init() {
        host.source.put("a.txt", Array("one".utf8))
        host.source.put("sub/b.txt", Array("two".utf8))
    }

    private func status(_ body: () throws -> Void) -> OverlayStatus? {
        do { try body() } catch { return (error as? OverlayError)?.status }
        return nil
    }

    @Test("A folder is listed, its files are read, and a missing one is nil")
    func reading() throws {
        let source = try host.services().source
        #expect(try source.list("").map(\.name) == ["a.txt", "sub"])
        #expect(try source.list("").map(\.kind) == [.regular, .folder])
        #expect(try source.list("sub").map(\.name) == ["b.txt"])
        #expect(try source.readAll("sub/b.txt", limit: 3) == Array("two".utf8))
        #expect(status { _ = try source.readAll("sub/b.txt", limit: 2) } == .invalidArgument)
        #expect(try source.stat("c.txt") == nil)
        let digests = try source.digest(["a.txt", "c.txt"])
        #expect(try digests[0].get().digest?.hasPrefix("7692c3ad3540bb80") == true)
        #expect(throws: OverlayError.self) { try digests[1].get() }
        #expect(status { _ = try source.list("../x") } == .invalidArgument)
    }

    @Test("A file is written or removed only if it is the expected one")
    func writing() throws {
        let source = try host.services().source
        let stamp = try #require(try source.stat("a.txt")?.stamp)
        #expect(status { try source.write("a.txt", [1], expected: nil) } == .changed)
        let written = try source.write("a.txt", [1, 2], expected: stamp)
        #expect(written.stamp != stamp && written.size == 2)
        #expect(host.source.backups["a.txt"] == Array("one".utf8))
        #expect(status { try source.trash("a.txt", expected: stamp) } == .changed)
        try source.trash("a.txt", expected: try #require(written.stamp))
        #expect(host.source.files["a.txt"] == nil && host.source.trash["a.txt"] == [1, 2])
    }

    @Test("Copies go both ways, each with its own result")
    func copying() throws {
        let source = try host.services().source
        let sent = try source.send(
            [
                SourceItem("a.txt", devicePath: "/Documents/a.txt"),
                SourceItem("x", devicePath: "/Documents/x"),
            ],
            to: .documents)
        #expect(try sent[0].get().deviceModified == host.files["/Documents/a.txt"]?.modified)
        #expect(throws: OverlayError.self) { try sent[1].get() }
        let fetched = try source.fetch(
            [SourceItem("c.txt", devicePath: "/Documents/a.txt")], from: .documents)
        #expect(try fetched[0].get().digest == sent[0].get().digest)
        #expect(host.source.files["c.txt"] == Array("one".utf8))
    }

    @Test("The state is kept by key, and a dry run changes nothing")
    func state() throws {
        let source = try host.services().source
        #expect(try source.state("k") == nil)
        try source.setState("k", [])
        #expect(try source.state("k") == [])
        #expect(try source.stateKeys() == ["k"])
        host.source.isDryRun = true
        for change in [
            { try source.setState("k", [1]) }, { try source.removeState("k") },
            { _ = try source.write("new", [1], expected: nil) },
        ] as [() throws -> Void] {
            #expect(status(change) == .wrongState)
        }
        #expect(host.source.state == ["k": []] && host.source.files["new"] == nil)
    }

    @Test("The chosen operation fails without an effect, and with it all later ones if that is wanted")
    func faults() throws {
        let source = try host.services().source
        host.source.failsAt = 2
        #expect(status { try source.setState("a", [1]) } == nil)
        #expect(status { try source.setState("b", [1]) } == .hostIO)
        #expect(status { try source.setState("c", [1]) } == nil)
        #expect(host.source.state.keys.sorted() == ["a", "c"])
        host.source.failsAt = host.source.operations.count + 1
        host.source.staysBroken = true
        #expect(status { try source.setState("d", [1]) } == .hostIO)
        #expect(status { try source.setState("e", [1]) } == .hostIO)
    }

    @Test("A host without the service says so")
    func missing() throws {
        host.hasSource = false
        let source = try host.services().source
        #expect(status { _ = try source.list("") } == .notSupported)
    }

    @Test("An overlay's plan and results reach the host through the slot of the contract")
    func slot() throws {
        let entry = OverlayExport.entry(for: PaperboatOverlay.self)
        let sync = try #require(entry.pointee.methods?.pointee.sync_source)
        let (record, arena) = (host.record(), Arena())
        var instance: OpaquePointer?
        var errors = ovl_error_sink.sized()
        errors.put = { _, _ in }
        let made = withUnsafePointer(to: record) { entry.pointee.create?($0, &instance, &errors) }
        try #require(made == OVL_OK)
        let overlay = try #require(instance)
        defer { entry.pointee.destroy?(overlay) }
        let plan = Collected<SourcePlanRow>()
        var rows = ovl_sync_row_sink.sized()
        rows.ctx = plan.context
        rows.put = { context, row in
            Collected<SourcePlanRow>.add(context, Result { try SourcePlanRow(row.pointee) })
        }
        let results = Collected<ItemResult>()
        var outcomes = ovl_result_sink.sized()
        outcomes.ctx = results.context
        outcomes.put = { context, row in
            Collected<ItemResult>.add(context, Result { try ItemResult(row.pointee) })
        }
        var options = SourceSyncOptions(deletes: true, wanted: ["x"]).record(in: arena)
        #expect(try SourceSyncOptions(options) == SourceSyncOptions(deletes: true, wanted: ["x"]))
        #expect(sync(overlay, &options, &rows, &outcomes, &errors) == OVL_OK)
        #expect(plan.values == [SourcePlanRow(.add, item: "a.txt", changesDevice: true, bytes: 3)])
        #expect(results.values == [.done(0, .added, path: "/Documents/a.txt")])
        #expect(host.files["/Documents/a.txt"]?.bytes == Array("one".utf8))
        withExtendedLifetime((host, arena)) {}
    }
}

/// The records that a sink received.
private final class Collected<Value> {
    private(set) var values: [Value] = []

    /// For a sink; this object must live as long as the sink.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func add(_ context: UnsafeMutableRawPointer?, _ value: Result<Value, any Error>) -> ovl_status {
        guard let context, case .success(let value) = value else { return OVL_FAILED }
        Unmanaged<Collected<Value>>.fromOpaque(context).takeUnretainedValue().values.append(value)
        return OVL_OK
    }
}
