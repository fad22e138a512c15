import DeviceTransport
import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("A device that misbehaves never hangs or misleads the host") struct TrapTests {
    @Test("Silence ends at the deadline, and the late answer does no harm", arguments: FilesTests.devices)
    func lateReply(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            try files.write(.bytes([1, 2]), to: "/Documents/a")
            try device.update { $0.faults = FaultPlan([Fault(.stall, operation: "GET_FILE_INFO", times: 1)]) }
            #expect(
                code { try files.stat("/Documents/a", OperationContext(limit: .milliseconds(50))) }
                    == .timedOut)
            // The next call opens a new connection. On the old one, answers would not match requests.
            #expect(try files.readWhole("/Documents/a") == [1, 2])
            try device.update { $0.faults = FaultPlan() }
            #expect(try files.list("/Documents") == ["a"])
            #expect(files.counters.connectionsLost == 1)
        }
    }

    @Test("Silence ends at the silence limit, too")
    func silence() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            try device.update { $0.faults = FaultPlan([.stall(atRequest: 1)]) }
            let error = failure {
                try files.list("/Documents", OperationContext(silenceLimit: .milliseconds(50)))
            }
            #expect(error?.code == .timedOut && error?.subject == "/Documents" && error?.hint != nil)
        }
    }

    @Test("A cancel wakes a call that waits for an answer", arguments: FilesTests.devices)
    func cancelWhileWaiting(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            try device.update { $0.faults = FaultPlan([Fault(.stall, operation: "READ_DIR")]) }
            let cancellation = Cancellation()
            let ended = inBackground {
                code { try files.list("/Documents", OperationContext(cancellation: cancellation)) }
            }
            try waitUntil { device.counters.requests["afc.READ_DIR"] == 1 }
            cancellation.cancel()
            #expect(ended() == .cancelled)
            try device.update { $0.faults = FaultPlan() }
            #expect(try files.list("/Documents").isEmpty)
        }
    }

    @Test("A cancel in the middle of an upload removes what was sent", arguments: FilesTests.devices)
    func cancelUpload(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            let cancellation = Cancellation()
            let context = OperationContext(cancellation: cancellation) { progress in
                if progress.bytes > 3_000_000 { cancellation.cancel() }
            }
            let results = files.pushMany(
                (0..<20).map { PushRequest(.bytes(pattern(500_000)), to: "/Documents/\($0)") }, context)
            let codes = results.map { result in code { try result.get() } }
            #expect(codes.contains(.cancelled))
            #expect(codes.allSatisfy { $0 == nil || $0 == .cancelled })
            let there = codes.indices.filter { codes[$0] == nil }.map { "\($0)" }
            #expect(try device.documentNames() == there.sorted())
        }
    }

    @Test("An operation that was cancelled before its start does nothing")
    func cancelledBefore() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            let cancellation = Cancellation()
            cancellation.cancel()
            let context = OperationContext(cancellation: cancellation)
            #expect(code { try files.write(.bytes([1]), to: "/Documents/a", context) } == .cancelled)
            #expect(code { try files.list("/Documents", OperationContext(limit: .zero)) } == .timedOut)
            #expect(device.counters.total(of: "afc") == 0)
        }
    }

    @Test(
        "A device that stops reading holds an upload only until the deadline", arguments: FilesTests.devices)
    func sendWithoutLimit(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            try device.update { $0.faults = FaultPlan([Fault(.stopReading, operation: "FILE_WRITE")]) }
            let error = failure {
                try files.write(
                    .bytes(pattern(9_000_000)), to: "/Documents/a",
                    OperationContext(silenceLimit: .milliseconds(100)))
            }
            #expect(error?.code == .timedOut)
            try device.update { $0.faults = FaultPlan() }
            try files.write(.bytes(pattern(9_000_000)), to: "/Documents/a")
            #expect(try device.documentNames() == ["a"])
        }
    }

    @Test(
        "An out-of-step, incomplete or unreadable answer is an error, never a result",
        arguments: [
            Fault.Effect.wrongPacketNumber(7), .garbageReply(pattern(200)), .partialReply(20),
            .partialReply(43),
            .garbageReply([UInt8]("CFA6LPAA".utf8) + [UInt8](repeating: 0xFF, count: 64)), .disconnect,
            .disconnectUnanswered,
        ], [false, true])
    func outOfStep(_ effect: Fault.Effect, _ encrypted: Bool) throws {
        try withSimulatedDevice(encrypted ? .encryptedReader : .reader) { device in
            let files = try openFiles(device)
            try files.write(.bytes([1]), to: "/Documents/a")
            try device.update { $0.faults = FaultPlan([Fault(effect, operation: "GET_FILE_INFO")]) }
            let failed = code { try files.stat("/Documents/a") }
            #expect(failed == .protocolViolation || failed == .connectionLost)
            // A single fault is repaired by another connection.
            try device.update { $0.faults = FaultPlan([Fault(effect, operation: "GET_FILE_INFO", times: 1)]) }
            #expect(try files.stat("/Documents/a").size == 1)
        }
    }

    @Test(
        "Success without a result is an error",
        arguments: ["READ_DIR", "GET_FILE_INFO", "FILE_OPEN", "FILE_READ"])
    func emptySuccess(_ operation: String) throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            try files.write(.bytes([1]), to: "/Documents/a")
            try device.update { $0.faults = FaultPlan([Fault(.status(0), operation: operation)]) }
            let error = failure {
                switch operation {
                case "READ_DIR": _ = try files.list("/Documents")
                case "GET_FILE_INFO": _ = try files.stat("/Documents/a")
                default: _ = try files.readWhole("/Documents/a")
                }
            }
            #expect(error?.code == .protocolViolation && error?.subject != nil)
        }
    }

    @Test("Pulling the cable ends every call at once with device gone", arguments: FilesTests.devices)
    func unplugged(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            let files = try session.open(.container(bundleID: appID))
            let others = try session.open(.media)
            try device.update { $0.faults = FaultPlan([Fault(.stall)]) }
            let listing = inBackground { code { try files.list("/Documents") } }
            let reading = inBackground { code { try others.readWhole("/a") } }
            let pushing = inBackground {
                others.pushMany((0..<30).map { PushRequest(.bytes(pattern(90_000)), to: "/\($0)") })
                    .map { result in code { try result.get() } }
            }
            try waitUntil { device.counters.total(of: "afc") >= 3 }
            SharedUsbmuxd.daemon.detach(device)
            #expect(listing() == .deviceGone)
            #expect(reading() == .deviceGone)
            #expect(pushing().allSatisfy { $0 == .deviceGone })
            #expect(session.isGone)
            #expect(code { try files.list("/Documents") } == .deviceGone)
            #expect(code { try session.information() } == .deviceGone)
            // When plugged in again, the device needs a new session, and works.
            try device.update { $0.faults = FaultPlan() }
            SharedUsbmuxd.daemon.attach(device)
            #expect(code { try files.list("/Documents") } == .deviceGone)
            #expect(try openFiles(device).list("/Documents").isEmpty)
        }
    }

    @Test("A cable pulled in the middle of a fetch leaves no file behind")
    func unpluggedFetch() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.faults = FaultPlan([Fault(.stall, operation: "FILE_READ", skipping: 2)])
        try withSimulatedDevice(settings) { device in
            let folder = try TemporaryFolder()
            try Data(pattern(3_000_000)).write(to: device.documents.appendingPathComponent("a"))
            let files = try openFiles(device)
            let pulling = inBackground {
                code { try files.pull(PullRequest("/Documents/a", to: folder.path("a"))) }
            }
            try waitUntil { (device.counters.requests["afc.FILE_READ"] ?? 0) >= 3 }
            SharedUsbmuxd.daemon.detach(device)
            #expect(pulling() == .deviceGone)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test("A TLS handshake that is never answered ends at the limit")
    func silentHandshake() throws {
        try withSimulatedDevice(.encryptedReader) { device in
            let session = try openSession(device)
            _ = try session.information()
            try device.update { $0.serviceHandshake = .isUnanswered }
            let error = failure {
                try session.open(
                    .container(bundleID: appID), OperationContext(silenceLimit: .milliseconds(300)))
            }
            #expect(error?.code == .timedOut)
            let cancellation = Cancellation()
            let opening = inBackground {
                code { try session.open(.media, OperationContext(cancellation: cancellation)) }
            }
            cancellation.cancel()
            #expect(opening() == .cancelled)
            try device.update { $0.serviceHandshake = .works }
            #expect(try session.open(.container(bundleID: appID)).list("/Documents").isEmpty)
        }
    }

    @Test("Questions that a device never answers leave nothing behind, and another one is used meanwhile")
    func manyUnansweredQuestions() throws {
        try withSimulatedDevice(.reader) { hanging in
            let session = try openSession(hanging)
            try hanging.update { $0.requestLatency = .seconds(3600) }
            let asking = { code { try session.information(OperationContext(limit: .milliseconds(50))) } }
            let answers = (0..<40).map { _ in asking() }
            #expect(answers.allSatisfy { $0 == .timedOut })
            let isAnswered = try withSimulatedDevice(.reader) { other in
                try openSession(other).information().name == other.settings.name
            }
            #expect(isAnswered)
            try hanging.update { $0.requestLatency = .zero }
            #expect(try session.information().name == hanging.settings.name)
        }
    }

    @Test("A TLS handshake that fails is an error, although the library calls it a success")
    func failedHandshake() throws {
        var settings = SimulatedDeviceSettings.encryptedReader
        settings.serviceHandshake = .fails
        try withSimulatedDevice(settings) { device in
            let error = code { try openFiles(device) }
            #expect(error == .tlsFailed || error == .connectionLost)
        }
    }

    @Test("An upload that the device hangs up on all the time ends with an error, and the batch with it")
    func alwaysBroken() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.faults = FaultPlan([Fault(.disconnect, operation: "FILE_WRITE")])
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            let results = files.pushMany((0..<9).map { PushRequest(.bytes([1]), to: "/Documents/\($0)") })
            #expect(results.allSatisfy { result in code { try result.get() } == .connectionLost })
        }
    }
}
