import DeviceTransport
import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("A change whose answer was lost is checked over another connection") struct UnansweredTests {
    /// Not carried out, carried out, and carried out with an incomplete or invalid answer.
    private static let losses: [Fault.Effect] = [
        .disconnect, .disconnectUnanswered, .partialReply(20), .garbageReply(pattern(200)),
    ]

    private func lose(_ operation: String, _ effect: Fault.Effect, skipping: Int = 0) -> Fault {
        Fault(effect, operation: operation, skipping: skipping, times: 1)
    }

    private func withFaults<Result>(
        _ faults: Fault..., body: (SimulatedDevice) throws -> Result
    ) throws -> Result {
        var settings = SimulatedDeviceSettings.reader
        settings.faults = FaultPlan(faults)
        return try withSimulatedDevice(settings) { device in
            try Data([1]).write(to: device.documents.appendingPathComponent("a"))
            return try body(device)
        }
    }

    /// Changes the device after the answer to a rename was lost, before the loss is noticed.
    private func whenLost(_ device: SimulatedDevice, _ body: @escaping @Sendable (TracedRequest) -> Void) {
        device.onFileRequest { request in
            if request.operation == "RENAME_PATH", request.status == nil { body(request) }
        }
    }

    /// Carries out a lost rename after the device was asked for both names.
    private func carryOutLater(_ device: SimulatedDevice, _ name: String) {
        let lost = Mutex<URL?>(nil)
        let documents = device.documents
        device.onFileRequest { request in
            guard let path = request.path else { return }
            let file = documents.appendingPathComponent((path as NSString).lastPathComponent)
            if request.operation == "RENAME_PATH", request.status == nil {
                lost.withLock { $0 = file }
            } else if file.lastPathComponent == name, let old = lost.withLock({ $0.take() }) {
                #expect(throws: Never.self) { try FileManager.default.moveItem(at: old, to: file) }
            }
        }
    }

    // MARK: Uploads

    @Test(
        "An upload whose rename got no answer counts as done, and is renamed once", arguments: losses,
        ["a", "new"])
    func push(_ effect: Fault.Effect, _ name: String) throws {
        try withFaults(lose("RENAME_PATH", effect)) { device in
            let files = try openFiles(device)
            #expect(try files.write(.bytes(pattern(3000)), to: "/Documents/" + name).size == 3000)
            #expect(try files.readWhole("/Documents/" + name) == pattern(3000))
            #expect(try device.documentNames() == (name == "a" ? ["a"] : ["a", "new"]))
            #expect(device.counters.requests["afc.RENAME_PATH"] == (effect == .disconnect ? 2 : 1))
            #expect(files.counters.connectionsLost == 1)
        }
    }

    @Test("Where a device does not replace, a removal that was lost with its connection is not sent again")
    func removalLost() throws {
        let refusal = Fault(.status(16), operation: "RENAME_PATH", times: 2)
        try withFaults(refusal, lose("REMOVE_PATH", .disconnect)) { device in
            let files = try openFiles(device)
            let error = failure { try files.write(.bytes([2, 3]), to: "/Documents/a") }
            #expect(error?.code == .exists)
            #expect(try files.readWhole("/Documents/a") == [1])
            let copy = try #require(device.documentNames().first { $0 != "a" })
            #expect(error?.hint?.contains(copy) == true)
            #expect(try files.readWhole("/Documents/" + copy) == [2, 3])
            #expect(device.counters.requests["afc.REMOVE_PATH"] == 1)
        }
    }

    @Test(
        "An upload that was sent again after a lost write counts as done, even if its rename gets no answer")
    func pushTwice() throws {
        try withFaults(lose("FILE_WRITE", .disconnect), lose("RENAME_PATH", .disconnectUnanswered)) {
            device in
            let files = try openFiles(device)
            try files.write(.bytes(pattern(3000)), to: "/Documents/a")
            #expect(try files.readWhole("/Documents/a") == pattern(3000))
            #expect(try device.documentNames() == ["a"])
            #expect(files.counters.connectionsLost == 2)
        }
    }

    @Test("An upload that was sent again keeps its bytes when the device opens the first file late")
    func openedLate() throws {
        try withFaults(lose("FILE_OPEN", .disconnect)) { device in
            let files = try openFiles(device, DeviceSessionOptions(chunkSize: 4096))
            let late = Mutex<(path: String?, writes: Int)>((nil, 0))
            let documents = device.documents
            device.onFileRequest { request in
                let path = late.withLock { late -> String? in
                    if request.operation == "FILE_OPEN", request.status == nil { late.path = request.path }
                    if request.operation == "FILE_WRITE" { late.writes += 1 }
                    return late.writes == 2 ? late.path.take() : nil
                }
                guard let path else { return }
                let file = documents.appendingPathComponent((path as NSString).lastPathComponent).path
                close(open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o644))
            }
            try files.write(.bytes(pattern(20_000)), to: "/Documents/a")
            #expect(late.withLock { $0.path == nil && $0.writes > 2 })
            #expect(try files.readWhole("/Documents/a") == pattern(20_000))
            // The next upload with this name removes the file that the late open has made.
            device.onFileRequest(nil)
            try files.write(.bytes([2]), to: "/Documents/a")
            #expect(try device.documentNames() == ["a"])
        }
    }

    @Test("An upload that is sent again removes what it left under its first name", arguments: losses)
    func sentAgain(_ effect: Fault.Effect) throws {
        try withFaults(lose("FILE_WRITE", effect)) { device in
            let files = try openFiles(device)
            try files.write(.bytes(pattern(3000)), to: "/Documents/a")
            #expect(try files.readWhole("/Documents/a") == pattern(3000))
            #expect(try device.documentNames() == ["a"])
            let requests = device.fileRequests.filter { $0.path?.hasSuffix(".part") == true }
            let first = try #require(requests.first?.path)
            #expect(Set(requests.compactMap(\.path)).count == 2)
            #expect(requests.filter { $0.operation == "REMOVE_PATH" }.map(\.path) == [first])
        }
    }

    @Test("Each upload of a batch counts as done", arguments: losses)
    func pushMany(_ effect: Fault.Effect) throws {
        try withFaults(lose("RENAME_PATH", effect, skipping: 3)) { device in
            let files = try openFiles(device)
            let results = files.pushMany(
                (0..<12).map { PushRequest(.bytes(pattern(500 + $0)), to: "/Documents/\($0)") })
            for (index, result) in results.enumerated() {
                #expect(try result.get().size == UInt64(500 + index))
                #expect(try files.readWhole("/Documents/\(index)") == pattern(500 + index))
            }
            #expect(try device.documentNames().count == 13)
        }
    }

    @Test(
        "A device that removes the old file first ends with the new one, whichever answer is lost",
        arguments: losses, ["REMOVE_PATH", "RENAME_PATH"])
    func renameRefuses(_ effect: Fault.Effect, _ operation: String) throws {
        try withFaults(
            Fault(.status(16), operation: "RENAME_PATH", times: 1),
            lose(operation, effect, skipping: operation == "RENAME_PATH" ? 1 : 0)
        ) { device in
            let files = try openFiles(device)
            try files.write(.bytes([2, 3]), to: "/Documents/a")
            #expect(try files.readWhole("/Documents/a") == [2, 3])
            #expect(try device.documentNames() == ["a"])
        }
    }

    @Test("An upload that replaces nothing leaves a file alone that came in the meantime")
    func appeared() throws {
        try withFaults(lose("RENAME_PATH", .disconnect)) { device in
            let files = try openFiles(device)
            let other = device.documents.appendingPathComponent("new")
            whenLost(device) { _ in #expect(throws: Never.self) { try Data([9]).write(to: other) } }
            let keep = WriteOptions(replacesExisting: false)
            let error = failure { try files.write(.bytes([2]), to: "/Documents/new", options: keep) }
            #expect(error?.code == .exists && error?.message.contains("all the same") == false)
            #expect(try files.readWhole("/Documents/new") == [9])
            #expect(try device.documentNames() == ["a", "new"])
        }
    }

    @Test("The error says that an upload may have been done when another file has its name")
    func changed() throws {
        try withFaults(lose("RENAME_PATH", .disconnectUnanswered)) { device in
            let files = try openFiles(device)
            let file = device.documents.appendingPathComponent("a")
            whenLost(device) { _ in #expect(throws: Never.self) { try Data([9]).write(to: file) } }
            let error = failure { try files.write(.bytes([2, 3]), to: "/Documents/a") }
            #expect(error?.code == .connectionLost && error?.subject == "/Documents/a")
            #expect(error?.message.hasSuffix(" However, the new file may be in its place.") == true)
            #expect(error?.hint?.contains(".part") == false)
            #expect(try files.readWhole("/Documents/a") == [9])
        }
    }

    @Test(
        "The error of an upload whose result cannot be checked says what may have happened",
        arguments: [false, true])
    func unreachable(_ isGone: Bool) throws {
        // The first look at a file checks the sent bytes.
        try withFaults(
            lose("RENAME_PATH", .disconnectUnanswered),
            Fault(.disconnect, operation: "GET_FILE_INFO", skipping: 1)
        ) { device in
            let files = try openFiles(device)
            if isGone { whenLost(device) { _ in SharedUsbmuxd.daemon.detach(device) } }
            let error = failure { try files.write(.bytes([2, 3]), to: "/Documents/a") }
            #expect(error?.code == (isGone ? .deviceGone : .connectionLost))
            #expect(error?.message.hasSuffix(" However, the new file may be in its place.") == true)
            #expect(error?.hint?.contains("unfinished") == false)
            #expect(try device.documentNames() == ["a"])
        }
    }

    @Test(
        "The error of an upload that is cancelled before the check says what may have happened",
        arguments: [true, false])
    func cancelled(_ isDone: Bool) throws {
        try withSimulatedDevice(.reader) { device in
            let cancellation = Cancellation()
            let isLost = Mutex(false)
            let trace = DeviceTrace { _ in if isLost.withLock({ $0 }) { cancellation.cancel() } }
            let files = try openFiles(device, DeviceSessionOptions(trace: trace))
            try device.update {
                $0.faults = FaultPlan([lose("RENAME_PATH", isDone ? .disconnectUnanswered : .disconnect)])
            }
            device.onFileRequest { request in
                if request.operation == "RENAME_PATH" { isLost.withLock { $0 = true } }
            }
            let error = failure {
                try files.write(
                    .bytes([2]), to: "/Documents/a", OperationContext(cancellation: cancellation))
            }
            #expect(error?.code == .cancelled)
            // A file that can still be removed under its temporary name does not have its final name.
            #expect(error?.message.contains("may be in its place") == isDone)
            #expect(try device.documentNames() == (isDone ? ["a"] : []))
        }
    }

    @Test("An upload whose rename is carried out after the check counts as done")
    func pushLater() throws {
        try withFaults(lose("RENAME_PATH", .disconnect)) { device in
            let files = try openFiles(device)
            carryOutLater(device, "new")
            #expect(try files.write(.bytes([2, 3]), to: "/Documents/new").size == 2)
            #expect(try files.readWhole("/Documents/new") == [2, 3])
            #expect(try device.documentNames() == ["a", "new"])
        }
    }

    @Test("An upload that cannot be finished over two connections leaves nothing", arguments: losses)
    func unfinished(_ effect: Fault.Effect) throws {
        try withFaults(Fault(effect, operation: "FILE_WRITE")) { device in
            let files = try openFiles(device)
            let error = failure { try files.write(.bytes(pattern(3000)), to: "/Documents/a") }
            #expect([.connectionLost, .protocolViolation].contains(error?.code))
            #expect(error?.hint?.contains("unfinished") != true)
            #expect(try device.documentNames() == ["a"])
            let results = files.pushMany(
                (0..<12).map { PushRequest(.bytes(pattern(500 + $0)), to: "/Documents/\($0)") })
            #expect(results.allSatisfy { result in failure { try result.get() } != nil })
            #expect(try device.documentNames() == ["a"])
        }
    }

    @Test("Uploads that are given up leave nothing on a device that still carries out what it has received")
    func givenUp() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.faults = FaultPlan([Fault(.garbageReply(pattern(200)), operation: "FILE_WRITE")])
        settings.requestLatency = .milliseconds(4)
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            let results = files.pushMany(
                (0..<24).map { PushRequest(.bytes(pattern(500 + $0)), to: "/Documents/\($0)") })
            #expect(results.allSatisfy { result in failure { try result.get() } != nil })
            #expect(try device.documentNames() == [])
        }
    }

    @Test("An upload whose rename never reaches the device certainly failed, and leaves nothing")
    func neverRenamed() throws {
        try withFaults(Fault(.disconnect, operation: "RENAME_PATH")) { device in
            let files = try openFiles(device)
            let error = failure { try files.write(.bytes([2, 3]), to: "/Documents/a") }
            #expect(error?.code == .connectionLost)
            #expect(error?.message.contains("all the same") == false)
            #expect(try files.readWhole("/Documents/a") == [1])
            #expect(try device.documentNames() == ["a"])
        }
    }

    // MARK: Renames

    @Test("A rename of a file or a folder counts as done", arguments: losses, [true, false])
    func rename(_ effect: Fault.Effect, _ replaces: Bool) throws {
        try withFaults(lose("RENAME_PATH", effect)) { device in
            let files = try openFiles(device)
            try files.rename("/Documents/a", to: "/Documents/b", replaces: replaces)
            #expect(try device.documentNames() == ["b"])
        }
        try withFaults(lose("RENAME_PATH", effect)) { device in
            let files = try openFiles(device)
            try files.makeFolder("/Documents/x/y")
            try files.rename("/Documents/x", to: "/Documents/z", replaces: replaces)
            #expect(try device.documentNames() == ["a", "z"])
        }
    }

    @Test("A rename that replaces is done, or else not tried where something has the name")
    func renameReplaces() throws {
        try withFaults(lose("RENAME_PATH", .disconnectUnanswered)) { device in
            let files = try openFiles(device)
            try Data([2]).write(to: device.documents.appendingPathComponent("b"))
            try files.rename("/Documents/a", to: "/Documents/b", replaces: true)
            #expect(try files.readWhole("/Documents/b") == [1])
            #expect(try device.documentNames() == ["b"])
        }
        try withFaults(lose("RENAME_PATH", .disconnect)) { device in
            let files = try openFiles(device)
            try Data([2]).write(to: device.documents.appendingPathComponent("b"))
            let error = failure { try files.rename("/Documents/a", to: "/Documents/b", replaces: true) }
            #expect(error?.code == .connectionLost && error?.message.contains("all the same") == false)
            #expect(try files.readWhole("/Documents/a") == [1])
            #expect(try files.readWhole("/Documents/b") == [2])
        }
    }

    @Test("A rename that is carried out after the check counts as done")
    func renamedLater() throws {
        try withFaults(lose("RENAME_PATH", .disconnect)) { device in
            let files = try openFiles(device)
            carryOutLater(device, "b")
            try files.rename("/Documents/a", to: "/Documents/b")
            #expect(try device.documentNames() == ["b"])
        }
    }

    @Test("A rename or removal that is answered after a cancel counts as done", arguments: [true, false])
    func cancelledUnderWay(_ isRename: Bool) throws {
        try withFaults { device in
            let files = try openFiles(device)
            let cancellation = Cancellation()
            let context = OperationContext(cancellation: cancellation)
            device.onFileRequest { request in
                if request.operation.hasPrefix("RE") { cancellation.cancel() }
            }
            if isRename {
                try files.rename("/Documents/a", to: "/Documents/b", context)
            } else {
                try files.remove("/Documents/a", context)
            }
            #expect(try device.documentNames() == (isRename ? ["b"] : []))
        }
    }

    @Test("A rename whose file was taken away says that it may have been done")
    func renamedAndTaken() throws {
        try withFaults(lose("RENAME_PATH", .disconnectUnanswered)) { device in
            let files = try openFiles(device)
            let taken = device.documents.appendingPathComponent("b")
            whenLost(device) { _ in
                #expect(throws: Never.self) { try FileManager.default.removeItem(at: taken) }
            }
            let error = failure { try files.rename("/Documents/a", to: "/Documents/b") }
            #expect(error?.code == .connectionLost)
            #expect(error?.message.hasSuffix(" However, /Documents/a may have been renamed.") == true)
        }
    }

    @Test("A failed rename is reported at once, and a successful one takes one request")
    func renameOnce() throws {
        try withFaults { device in
            let files = try openFiles(device)
            device.resetCounters()
            #expect(
                code { try files.rename("/Documents/no", to: "/Documents/b", replaces: true) } == .notFound)
            try files.rename("/Documents/a", to: "/Documents/b", replaces: true)
            #expect(device.counters.total(of: "afc") == 2)
        }
    }

    // MARK: Removals

    @Test("A removal whose answer was lost counts as done", arguments: losses, [true, false])
    func remove(_ effect: Fault.Effect, _ recursive: Bool) throws {
        let operation = recursive ? "REMOVE_PATH_AND_CONTENTS" : "REMOVE_PATH"
        try withFaults(lose(operation, effect)) { device in
            let files = try openFiles(device)
            try files.remove("/Documents/a", recursive: recursive)
            #expect(try device.documentNames().isEmpty)
            #expect(files.counters.connectionsLost == 1)
            #expect(code { try files.remove("/Documents/a", recursive: recursive) } == .notFound)
        }
    }

    @Test("Each removal of a batch counts as done, and what was never there is reported as missing")
    func removeMany() throws {
        try withFaults(lose("REMOVE_PATH", .disconnectUnanswered, skipping: 1)) { device in
            let files = try openFiles(device)
            let names = (0..<12).map { "/Documents/\($0)" }
            for name in names { try files.write(.bytes([1]), to: name) }
            #expect(code { try files.remove("/Documents/none") } == .notFound)
            for result in files.removeMany(names) { try result.get() }
            #expect(try device.documentNames() == ["a"])
        }
    }

    @Test("A removal that is never answered says that it may have been done", arguments: losses)
    func removeLost(_ effect: Fault.Effect) throws {
        try withFaults(Fault(effect, operation: "REMOVE_PATH")) { device in
            let files = try openFiles(device)
            let error = failure { try files.remove("/Documents/a") }
            #expect(error?.code == .connectionLost || error?.code == .protocolViolation)
            #expect(error?.message.hasSuffix(" However, /Documents/a may have been removed.") == true)
        }
    }
}
