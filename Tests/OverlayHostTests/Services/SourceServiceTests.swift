import Foundation
import Libraries
import Logging
import OverlayABI
import OverlayBridge
import OverlayKit
import TestSupport
import Testing

@testable import HostContract
@testable import OverlayServices
@testable import OverlayHost

@Suite("An overlay that syncs both ways reaches one folder, and its plan is checked")
struct SourceServiceTests {
    private let environment: FakeEnvironment
    private let source: String

    init() throws {
        environment = try FakeEnvironment()
        source = environment.folder.path("source")
        try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
    }

    private struct Rows {
        let plan: (ovl_sync_row) -> ovl_status
        let report: (ovl_item_result) -> ovl_status
    }

    /// Runs `body` as the overlay's `sync_source`.
    private func sync(
        isDryRun: Bool = false, _ body: @escaping (HostServices, Rows) throws -> ovl_status
    ) throws -> OverlaySync {
        environment.fake.syncSource = { [fake = environment.fake] _, plan, results, _ in
            let rows = Rows(
                plan: { row in
                    withUnsafePointer(to: row) { plan.pointee.put?(plan.pointee.ctx, $0) ?? OVL_FAILED }
                },
                report: { row in
                    withUnsafePointer(to: row) { results.pointee.put?(results.pointee.ctx, $0) ?? OVL_FAILED }
                })
            do {
                guard let host = fake.host else { return OVL_FAILED }
                return try body(try HostServices(host.pointee), rows)
            } catch {
                Issue.record(error)
                return OVL_FAILED
            }
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        instance.context.environment.progress.begin("Syncing", counting: [.push, .pull])
        return instance.syncSource(
            try GrantedFolder(source), state: environment.folder.path("state"),
            SourceSyncOptions(isDryRun: isDryRun))
    }

    private func row(_ action: UInt32, _ flags: UInt32 = 0) -> ovl_sync_row {
        var row = ovl_sync_row.sized()
        (row.action, row.flags) = (action, flags)
        return row
    }

    /// Puts a row with an item.
    private func put(_ action: UInt32, _ flags: UInt32 = 0, _ item: String = "a", _ rows: Rows) -> ovl_status
    {
        withText(item) { text in
            var row = row(action, flags)
            row.item = text.pointee
            return rows.plan(row)
        }
    }

    /// Puts a row that fails.
    private func failing(_ action: UInt32, reason: String?, _ rows: Rows) -> ovl_status {
        withText("a") { item in
            var row = row(action, OVL_SYNC_ROW_FAILS)
            row.item = item.pointee
            guard let reason else { return rows.plan(row) }
            return withText(reason) { text in
                row.reason = text.pointee
                return rows.plan(row)
            }
        }
    }

    private func outcome(_ index: UInt64) -> ovl_item_result {
        var row = ovl_item_result.sized()
        (row.index, row.outcome) = (index, OVL_OUTCOME_ADDED)
        return row
    }

    @Test("Files and the state are read and written through the host, and stay for the next sync")
    func readingAndWriting() throws {
        #expect(writeFile(source + "/a.txt", Array("hello".utf8)))
        let first = try sync { host, _ in
            let file = try #require(try host.source.list("").first)
            #expect(file.name == "a.txt" && file.kind == .regular && file.size == 5)
            let read = try host.source.readAll("a.txt", expected: file.stamp, limit: 100)
            #expect(String(decoding: read, as: UTF8.self) == "hello")
            let written = try host.source.write("a.txt", Array("abc".utf8), expected: file.stamp)
            #expect(written.digest?.hasPrefix("ba7816bf8f01cfea") == true)
            #expect(throws: OverlayError.self) {
                try host.source.write("a.txt", [1], expected: file.stamp)
            }
            #expect(try host.source.stat("nothing") == nil)
            #expect(try host.source.state("agreed") == nil)
            try host.source.setState("agreed", Array((written.stamp ?? "").utf8))
            return OVL_OK
        }
        #expect(first.failure == nil)
        #expect(readFile(source + "/a.txt") == Array("abc".utf8))
        let second = try sync { host, _ in
            let stamp = try #require(try host.source.state("agreed"))
            #expect(try host.source.stat("a.txt")?.stamp == String(decoding: stamp, as: UTF8.self))
            #expect(try host.source.stateKeys() == ["agreed"])
            try host.source.removeState("agreed")
            #expect(try host.source.stateKeys() == [])
            return OVL_OK
        }
        #expect(second.failure == nil)
    }

    @Test("The bytes of the plan are the whole of what progress counts, unless nothing is copied")
    func plannedBytes() throws {
        for isDryRun in [true, false] {
            let done = try sync(isDryRun: isDryRun) { host, rows in
                for bytes: UInt64 in [40, 0, 2] {
                    let status = withText("a") { text in
                        var row = self.row(OVL_SYNC_KEEP)
                        (row.item, row.bytes) = (text.pointee, bytes)
                        return rows.plan(row)
                    }
                    #expect(status == OVL_OK)
                }
                host.progress.report(1, of: 2, phase: "Copying")
                return OVL_OK
            }
            #expect(done.failure == nil)
            let last = try #require(environment.progress.updates.last)
            #expect(last.phase == "Copying" && last.bytesTotal == (isDryRun ? nil : 42))
        }
    }

    @Test("Progress names the file whose bytes move and counts those that are copied, and never goes back")
    func namesOfFiles() throws {
        let names = ["a.pdf", "b.pdf", "c.pdf"]
        for name in names { #expect(writeFile(source + "/" + name, Array("paper".utf8))) }
        _ = try sync { host, _ in
            host.progress.report(0, of: 4, phase: "Copying papers")
            _ = try host.source.send(
                names.map { SourceItem($0, devicePath: "/Documents/" + $0) }, to: .documents)
            for done: UInt64 in 0...3 { host.progress.report(Int(done), of: 4, phase: "Copying papers") }
            host.progress.report(4, of: 4, phase: "Removing papers: d.pdf")
            return OVL_OK
        }
        let updates = environment.progress.updates
        let named = updates.filter { $0.bytesDone > 0 && $0.phase.hasPrefix("Copying") }
        #expect(named.map(\.phase).first == "Copying papers: a.pdf")
        #expect(Set(named.map(\.phase)) == Set(names.map { "Copying papers: \($0)" }))
        #expect(
            zip(updates, updates.dropFirst()).allSatisfy {
                $0.itemsDone <= $1.itemsDone && $0.bytesDone <= $1.bytesDone
            })
        #expect(named.contains { $0.itemsDone == 2 && $0.phase == "Copying papers: b.pdf" })
        #expect(updates.last?.phase == "Removing papers: d.pdf" && updates.last?.itemsDone == 4)
    }

    @Test("Files are copied both ways without passing through the overlay")
    func copying() throws {
        let big = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        #expect(writeFile(source + "/paper.pdf", big))
        let result = try sync { host, _ in
            let sent = try host.source.send(
                [
                    SourceItem("paper.pdf", devicePath: "/Documents/paper.pdf"),
                    SourceItem("missing.pdf", devicePath: "/Documents/missing.pdf"),
                    SourceItem("../x", devicePath: "/Documents/x"),
                    SourceItem("paper.pdf", devicePath: "/Documents/other.pdf", expected: "1-1-1-1"),
                ], to: .documents)
            let digest = try sent[0].get().digest
            #expect(digest?.count == 64)
            #expect(Self.statuses(sent) == [.ok, .notFound, .invalidArgument, .changed])
            let fetched = try host.source.fetch(
                [
                    SourceItem("sub/copy.pdf", devicePath: "/Documents/paper.pdf"),
                    SourceItem("paper.pdf", devicePath: "/Documents/paper.pdf"),
                    SourceItem("none.pdf", devicePath: "/Documents/none.pdf"),
                ], from: .documents)
            #expect(Self.statuses(fetched) == [.ok, .changed, .notFound])
            #expect(try fetched[0].get().digest == digest)
            return OVL_OK
        }
        #expect(result.failure == nil)
        #expect(readFile(source + "/sub/copy.pdf") == big)
        #expect(readFile(source + "/none.pdf") == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: source).sorted() == ["paper.pdf", "sub"])
    }

    private static func statuses(_ results: [Result<SourceFileInfo, OverlayError>]) -> [OverlayStatus] {
        results.map { result in
            switch result {
            case .success: .ok
            case .failure(let error): error.status
            }
        }
    }

    @Test("A dry run is refused every change, of folder, state and device, and that is a breach")
    func dryRun() throws {
        #expect(writeFile(source + "/a.txt", [1]))
        let result = try sync(isDryRun: true) { host, _ in
            let stamp = try host.source.stat("a.txt")?.stamp ?? ""
            let changes: [() throws -> Void] = [
                { try host.source.write("b", [1], expected: nil) },
                { try host.source.trash("a.txt", expected: stamp) },
                { _ = try host.source.send([SourceItem("a.txt", devicePath: "/a")], to: .documents) },
                { _ = try host.source.fetch([SourceItem("b", devicePath: "/a")], from: .documents) },
                { try host.source.setState("k", [1]) }, { try host.source.removeState("k") },
                { try host.transport.write(.documents, "/Documents/x", [1]) },
                { try host.transport.remove(.documents, "/Documents/x") },
            ]
            for change in changes {
                let error = #expect(throws: OverlayError.self) { try change() }
                #expect(error?.status == .wrongState)
            }
            return OVL_OK
        }
        #expect(result.failure == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: source) == ["a.txt"])
        let breaches = environment.log.lines.filter { $0.message.contains("dry run") && $0.level == .error }
        #expect(breaches.count == 8)
    }

    @Test("Outside sync_source the folder is refused")
    func outside() throws {
        environment.fake.books = { [fake = environment.fake] _, _, _ in
            guard let host = fake.host, let services = try? HostServices(host.pointee) else {
                return OVL_FAILED
            }
            let error = #expect(throws: OverlayError.self) { _ = try services.source.list("") }
            #expect(error?.status == .wrongState)
            return OVL_OK
        }
        let instance = try environment.attached()
        _ = try instance.books()
        instance.destroy()
    }

    @Test("The plan and its results are given in their order")
    func plan() throws {
        let both = OVL_SYNC_ROW_CHANGES_DEVICE | OVL_SYNC_ROW_CHANGES_SOURCE
        let result = try sync { _, rows in
            #expect(put(OVL_SYNC_ADD, OVL_SYNC_ROW_CHANGES_SOURCE, "a", rows) == OVL_OK)
            #expect(put(OVL_SYNC_KEEP, 0, "b", rows) == OVL_OK)
            #expect(put(OVL_SYNC_UPDATE, both, "c", rows) == OVL_OK)
            #expect(rows.report(outcome(2)) == OVL_OK)
            #expect(rows.report(outcome(0)) == OVL_OK)
            return OVL_OK
        }
        #expect(result.failure == nil)
        #expect(result.plan.map(\.action) == [.add, .keep, .update])
        #expect(result.plan.map(\.changes) == [.source, nil, .both])
        #expect(result.results.map { $0?.outcome } == [.added, nil, .added])
    }

    @Test("A plan that breaks a rule ends the sync with a breach")
    func brokenPlans() throws {
        let broken: [(words: String, body: (Rows) -> ovl_status)] = [
            ("action 99", { put(OVL_SYNC_ADD + 98, 0, "a", $0) }),
            ("neither an item nor a path", { $0.plan(row(OVL_SYNC_ADD)) }),
            ("needs the action keep", { failing(OVL_SYNC_ADD, reason: "No.", $0) }),
            ("and a reason", { failing(OVL_SYNC_KEEP, reason: nil, $0) }),
            ("without a result for 1 of 1", { failing(OVL_SYNC_KEEP, reason: "No.", $0) }),
            (
                "after the first result",
                { rows in
                    _ = put(OVL_SYNC_ADD, 0, "a", rows)
                    _ = rows.report(outcome(0))
                    return put(OVL_SYNC_ADD, 0, "b", rows)
                }
            ),
            ("without a result for 1 of 1", { put(OVL_SYNC_ADD, 0, "a", $0) }),
            ("row index 0 is out of range", { $0.report(outcome(0)) }),
        ]
        for (words, body) in broken {
            let failure = try sync { _, rows in body(rows) }.failure
            #expect(
                failure?.code == .contractBroken && failure?.message.contains(words) == true,
                "\(words): \(failure.map { "\($0)" } ?? "-")")
        }
    }

    @Test("A dry run that reports a result breaks the contract")
    func dryRunResult() throws {
        let failure = try sync(isDryRun: true) { _, rows in
            _ = put(OVL_SYNC_ADD, 0, "a", rows)
            return rows.report(outcome(0))
        }.failure
        #expect(failure?.code == .contractBroken)
    }
}
