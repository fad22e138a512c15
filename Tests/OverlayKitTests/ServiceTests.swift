import OverlayABI
import OverlayBridge
import OverlayKit
import Testing

@Suite("The host's services are Swift values for an overlay, and a host that misbehaves is reported")
struct ServiceTests {
    @Test("Where the host has no preferences every key is unset")
    func missingPreferences() throws {
        let prefs = try HostServices(ovl_host.sized()).prefs
        #expect(try prefs.bool("k", default: true))
        #expect(try prefs.integer("k", default: 7) == 7)
        #expect(try prefs.number("k", default: 0.5) == 0.5)
        #expect(try prefs.text("k") == nil)
        #expect(try prefs.texts("k") == [])
        #expect(try prefs.json("k") == nil)
    }

    @Test("Without a service the log is silent, preferences are unset, and other calls throw notSupported")
    func missingServices() throws {
        let host = try HostServices(ovl_host.sized())
        #expect(!host.log.isEnabled(.error))
        host.log.error("test", "nobody hears this")
        host.progress.report(1, of: 2)
        #expect(!host.cancellation.isCancelled)
        #expect(host.cancellation.timeLeft == nil)
        try host.cancellation.check()
        let calls: [(HostServices) throws -> Void] = [
            { host in try host.prefs.requestSet("k", json: "1") },
            { host in try host.cancellation.wait(for: .seconds(1)) },
            { host in _ = try host.transport.device() },
            { host in _ = try host.transport.roots() },
            { host in _ = try host.transport.list(.documents, "/") },
            { host in _ = try host.transport.stat(.documents, ["/"]) },
            { host in _ = try host.transport.readAll(.documents, "/", limit: 1) },
            { host in _ = try host.transport.readMany(.documents, []) },
            { host in try host.transport.write(.documents, "/", []) },
            { host in _ = try host.transport.push(.documents, []) },
            { host in _ = try host.transport.pull(.documents, []) },
            { host in try host.transport.rename(.documents, "/a", to: "/b") },
            { host in try host.transport.remove(.documents, "/a") },
            { host in try host.transport.makeFolder(.documents, "/a") },
            { host in _ = try host.transport.freeSpace() },
            { host in _ = try host.transport.localInfo(HostFile(rawValue: 1)) },
            { (host) throws(OverlayError) in
                try host.transport.localRead(HostFile(rawValue: 1)) { _, _, _ in }
            },
        ]
        for call in calls {
            let error = #expect(throws: OverlayError.self) { try call(host) }
            #expect(error?.status == .notSupported)
        }
    }

    @Test("Functions beyond the end of a smaller table are missing, and those before it exist")
    func smallerTable() throws {
        var table = ovl_transport_service.sized()
        table.device = { _, sink, _ in
            let arena = Arena()
            var device = DeviceInfo(udid: "u").record(in: arena)
            return sink.pointee.put?(sink.pointee.ctx, &device) ?? OVL_FAILED
        }
        table.roots = { _, _, _ in OVL_OK }
        table.struct_size = UInt32(try #require(MemoryLayout<ovl_transport_service>.offset(of: \.roots)))
        let known = try withUnsafePointer(to: table) { pointer throws(OverlayError) in
            try ovl_transport_service.copy(required: pointer)
        }
        let transport = TransportService(known)
        #expect(try transport.device() == DeviceInfo(udid: "u"))
        #expect(throws: OverlayError.self) { try transport.roots() }
    }

    @Test("A preference is read with its default, and stored on request")
    func prefs() throws {
        var table = ovl_prefs_service.sized()
        table.get_bool = { _, key, fallback, value, _ in
            value.pointee = fallback == 1 ? 0 : 1
            return OVL_OK
        }
        table.get_integer = { _, _, fallback, value, _ in
            value.pointee = fallback + 1
            return OVL_OK
        }
        table.get_number = { _, _, fallback, value, _ in
            value.pointee = fallback / 2
            return OVL_OK
        }
        table.get_texts = { _, key, sink, _ in
            let arena = Arena()
            let name = (try? key.pointee.required("key")) ?? ""
            for text in name.split(separator: ",") {
                var view = arena.text(String(text))
                let status = sink.pointee.put?(sink.pointee.ctx, &view) ?? OVL_FAILED
                guard status == OVL_OK else { return status }
            }
            return OVL_OK
        }
        table.get_json = table.get_texts
        table.request_set = { _, key, json, _ in
            (try? key.pointee.string("key")) == "own" && (try? json.pointee.string("json")) == "[1]"
                ? OVL_OK : OVL_ACCESS_REFUSED
        }
        let prefs = PrefsService(table)
        #expect(try prefs.bool("k", default: true) == false)
        #expect(try prefs.bool("k", default: false) == true)
        #expect(try prefs.integer("k", default: 41) == 42)
        #expect(try prefs.number("k", default: 5) == 2.5)
        #expect(try prefs.texts("a,b") == ["a", "b"])
        #expect(try prefs.texts("") == [])
        #expect(try prefs.text("a") == "a")
        #expect(try prefs.text("") == nil)
        #expect(try prefs.json("x") == "x")
        #expect(try prefs.json("") == nil)
        #expect(throws: OverlayError.self) { try prefs.text("a,b") }
        try prefs.requestSet("own", json: "[1]")
        #expect(
            throws: OverlayError(
                .accessRefused, "The host did not give a reason.", subject: "prefs.request_set")
        ) {
            try prefs.requestSet("other", json: "[1]")
        }
    }

    @Test("The status that a function returns counts, and the record that it reported adds the details")
    func reportedError() throws {
        var table = ovl_transport_service.sized()
        table.make_folder = { _, _, path, error in
            let arena = Arena()
            var record = OverlayError(
                .failed, "No.", subject: try? path.pointee.string("path"), domain: .afc, nativeCode: 10
            )
            .record(in: arena)
            error?.pointee.put?(error?.pointee.ctx, &record)
            return OVL_ACCESS_REFUSED
        }
        let error = OverlayError(.accessRefused, "No.", subject: "/x", domain: .afc, nativeCode: 10)
        #expect(throws: error) { try TransportService(table).makeFolder(.container, "/x") }
    }

    @Test("A log record has its category, message and pairs; one that is not kept is never made")
    func log() throws {
        struct Record: Equatable {
            var severity: UInt32
            var texts: [String?]
        }
        final class Records {
            var all: [Record] = []
        }
        let records = Records()
        var table = ovl_log_service.sized()
        table.ctx = Unmanaged.passUnretained(records).toOpaque()
        table.enabled = { _, severity in severity >= OVL_LOG_INFO ? 1 : 0 }
        table.write = { context, severity, category, message, pairs in
            guard let context else { return }
            var texts = [try? category.pointee.string("c"), try? message.pointee.string("m")]
            try? pairs?.pointee.forEach(ovl_pair.self, "pairs") { (pair) throws(OverlayError) in
                texts += [try pair.key.string("k"), try pair.value.string("v")]
            }
            Unmanaged<Records>.fromOpaque(context).takeUnretainedValue().all
                .append(Record(severity: severity, texts: texts))
        }
        let log = LogService(table)
        func expensive() -> String {
            Issue.record("The message was made.")
            return ""
        }
        log.debug("books", expensive())
        log.info("books", "read", ["count": "3", "ms": "7"])
        log.write(.overlayMisbehaving, "x", "y")
        #expect(
            records.all == [
                Record(severity: 2, texts: ["books", "read", "count", "3", "ms", "7"]),
                Record(severity: 6, texts: ["x", "y"]),
            ])
        withExtendedLifetime(records) {}
    }

    @Test("Cancel and deadline are distinguished")
    func cancellation() throws {
        var table = ovl_cancel_service.sized()
        table.is_cancelled = { _ in 1 }
        table.time_left = { _ in 1_500_000_000 }
        table.wait = { _, nanoseconds, _ in nanoseconds == 0 ? OVL_DEVICE_GONE : OVL_OK }
        let cancel = CancelService(table)
        #expect(cancel.isCancelled)
        #expect(cancel.timeLeft == .milliseconds(1500))
        try cancel.wait(for: .nanoseconds(1))
        let error = #expect(throws: OverlayError.self) { try cancel.check() }
        #expect(error?.status == .deviceGone)
        table.wait = nil
        let other = #expect(throws: OverlayError.self) { try CancelService(table).check() }
        #expect(other?.status == .cancelled)
        table.time_left = { _ in .max }
        #expect(CancelService(table).timeLeft == nil)
    }

    @Test("A wait of any length is passed on without overflow")
    func longWaits() throws {
        var table = ovl_cancel_service.sized()
        table.wait = { _, nanoseconds, _ in
            nanoseconds == UInt64(Int64.max) || nanoseconds == 0 ? OVL_OK : OVL_INVALID_ARGUMENT
        }
        try CancelService(table).wait(for: .seconds(Int64.max))
        try CancelService(table).wait(for: .seconds(-5))
    }

    @Test("Progress may lack a total and a phase")
    func progress() {
        final class Last {
            var values: (UInt64, UInt64, String?) = (0, 0, nil)
        }
        let last = Last()
        var table = ovl_progress_service.sized()
        table.ctx = Unmanaged.passUnretained(last).toOpaque()
        table.report = { context, completed, total, phase in
            guard let context else { return }
            Unmanaged<Last>.fromOpaque(context).takeUnretainedValue().values =
                (completed, total, try? phase?.pointee.string("phase"))
        }
        let progress = ProgressService(table)
        progress.report(3, of: nil)
        #expect(last.values == (3, .max, nil))
        progress.report(-3, of: 7, phase: "sending")
        #expect(last.values == (0, 7, "sending"))
        withExtendedLifetime(last) {}
    }
}
