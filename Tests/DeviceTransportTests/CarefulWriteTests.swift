import DeviceTransport
import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Writing never loses a file") struct CarefulWriteTests {
    @Test("A full disk leaves the old file as it was and nothing of the new one")
    func fullDisk() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            try files.write(.bytes([7, 7]), to: "/Documents/a")
            try device.update {
                $0.faults = FaultPlan([Fault(.diskFull(keeping: 1000), operation: "FILE_WRITE", skipping: 1)])
            }
            let error = failure { try files.write(.bytes(pattern(3_000_000)), to: "/Documents/a") }
            #expect(error?.code == .noSpace && error?.subject == "/Documents/a")
            #expect(error?.native == NativeCode(.afc, 18, "no-space-left"))
            #expect(try device.documentNames() == ["a"])
            #expect(try files.readWhole("/Documents/a") == [7, 7])
        }
    }

    @Test("A write that the device acknowledges but does not do is noticed")
    func lostWrites() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.faults = FaultPlan([Fault(.status(0), operation: "FILE_WRITE", times: 1)])
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            #expect(code { try files.write(.bytes(pattern(100)), to: "/Documents/a") } == .verificationFailed)
            #expect(try device.documentNames().isEmpty)
            try files.write(.bytes(pattern(100)), to: "/Documents/a")
            #expect(try files.readWhole("/Documents/a") == pattern(100))
        }
    }

    @Test("Contents are compared on request", arguments: FilesTests.devices)
    func contents(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            let options = WriteOptions(verification: .contents)
            try files.write(.bytes(pattern(1_200_000)), to: "/Documents/a", options: options)
            #expect(try files.readWhole("/Documents/a") == pattern(1_200_000))
            try files.write(.bytes([]), to: "/Documents/b", options: options)
            // Between check and comparison, the temporary file is changed without changing its size.
            try device.update { $0.faults = FaultPlan([Fault(.stall, operation: "FILE_OPEN", skipping: 1)]) }
            let before = device.counters.requests["afc.FILE_OPEN"] ?? 0
            let writing = inBackground {
                failure { try files.write(.bytes(pattern(5000)), to: "/Documents/a", options: options) }
            }
            try waitUntil { device.counters.requests["afc.FILE_OPEN"] == before + 2 }
            let temporary = try #require(device.documentNames().first { $0.hasPrefix(".overlayhost-") })
            try Data(count: 5000).write(to: device.documents.appendingPathComponent(temporary))
            try device.update { $0.faults = FaultPlan() }
            #expect(writing()?.code == .verificationFailed)
            #expect(try device.documentNames() == ["a", "b"])
            #expect(try files.readWhole("/Documents/a") == pattern(1_200_000))
        }
    }

    @Test("An existing file is left alone unless it may be replaced")
    func exists() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            try files.write(.bytes([1]), to: "/Documents/a")
            let keep = WriteOptions(replacesExisting: false)
            #expect(code { try files.write(.bytes([2]), to: "/Documents/a", options: keep) } == .exists)
            #expect(try files.readWhole("/Documents/a") == [1])
            try files.write(.bytes([2]), to: "/Documents/b", options: keep)
            #expect(try device.documentNames() == ["a", "b"])
        }
    }

    @Test(
        "A device whose rename does not replace gets the old file removed only when the new one is verified")
    func renameRefuses() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.faults = FaultPlan([Fault(.status(16), operation: "RENAME_PATH", times: 1)])
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            try Data([1]).write(to: device.documents.appendingPathComponent("a"))
            try files.write(.bytes([2, 3]), to: "/Documents/a")
            #expect(try files.readWhole("/Documents/a") == [2, 3])
            #expect(try device.documentNames() == ["a"])
        }
    }

    @Test(
        "When the second rename fails, too, the error says where the complete new file is",
        arguments: [true, false])
    func renameRefusesTwice(_ isRemoved: Bool) throws {
        var settings = SimulatedDeviceSettings.reader
        // The file was not removed, because it was gone before.
        let gone = Fault(.status(8), operation: "REMOVE_PATH", times: isRemoved ? 0 : 1)
        settings.faults = FaultPlan([
            gone,
            Fault(.status(16), operation: "RENAME_PATH", times: 1),
            Fault(.status(10), operation: "RENAME_PATH", skipping: 1, times: 1),
        ])
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            let old = device.documents.appendingPathComponent("a")
            try Data([1]).write(to: old)
            device.onFileRequest { request in
                guard request.operation == "REMOVE_PATH", !isRemoved else { return }
                #expect(throws: Never.self) { try FileManager.default.removeItem(at: old) }
            }
            let error = failure { try files.write(.bytes([2, 3]), to: "/Documents/a") }
            #expect(error?.code == .permissionDenied)
            let name = try #require(device.documentNames().first)
            #expect(error?.hint?.contains(name) == true)
            #expect(try files.readWhole("/Documents/" + name) == [2, 3])
        }
    }

    @Test("When the old file cannot be removed it stays, and nothing of the new one")
    func removalRefused() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.faults = FaultPlan([
            Fault(.status(16), operation: "RENAME_PATH", times: 2),
            Fault(.status(10), operation: "REMOVE_PATH", times: 1),
        ])
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            try Data([1]).write(to: device.documents.appendingPathComponent("a"))
            let error = failure { try files.write(.bytes([2, 3]), to: "/Documents/a") }
            #expect(error?.code == .permissionDenied && error?.subject == "/Documents/a")
            #expect(error?.hint?.contains(".part") != true)
            #expect(try device.documentNames() == ["a"])
            #expect(try files.readWhole("/Documents/a") == [1])
        }
    }

    @Test(
        "An old file that disappears meanwhile is replaced, regardless of what its removal returns",
        arguments: [8, 10])
    func goneMeanwhile(_ status: UInt64) throws {
        var settings = SimulatedDeviceSettings.reader
        settings.faults = FaultPlan([
            Fault(.status(16), operation: "RENAME_PATH", times: 1),
            Fault(.status(status), operation: "REMOVE_PATH", times: 1),
        ])
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            let old = device.documents.appendingPathComponent("a")
            try Data([1]).write(to: old)
            device.onFileRequest { request in
                guard request.operation == "REMOVE_PATH" else { return }
                #expect(throws: Never.self) { try FileManager.default.removeItem(at: old) }
            }
            #expect(try files.write(.bytes([2, 3]), to: "/Documents/a").size == 2)
            #expect(try files.readWhole("/Documents/a") == [2, 3])
            #expect(try device.documentNames() == ["a"])
        }
    }

    @Test("Missing folders are made only on request")
    func folders() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            let error = code {
                try files.write(.bytes([1]), to: "/Documents/x/a", options: WriteOptions(makesFolders: false))
            }
            #expect(error == .notFound)
            try files.write(.bytes([1]), to: "/Documents/x/y/a")
            #expect(try files.readWhole("/Documents/x/y/a") == [1])
        }
    }

    @Test("A local file is sent, and one that cannot be read is named")
    func localFiles() throws {
        try withSimulatedDevice(.reader) { device in
            let folder = try TemporaryFolder()
            let files = try openFiles(device)
            try Data(pattern(900_000)).write(to: folder.url.appendingPathComponent("a"))
            try files.write(.file(folder.path("a")), to: "/Documents/a")
            #expect(try files.readWhole("/Documents/a") == pattern(900_000))
            #expect(code { try files.write(.file(folder.path("none")), to: "/Documents/b") } == .notFound)
            #expect(
                subject { try files.write(.file(folder.path("none")), to: "/Documents/b") }
                    == folder.path("none"))
            #expect(code { try files.write(.file(folder.path), to: "/Documents/b") } == .isFolder)
            #expect(try device.documentNames() == ["a"])
        }
    }

    @Test("The next upload replaces what an interrupted one left")
    func remains() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            try device.update { $0.faults = FaultPlan([Fault(.stall, operation: "RENAME_PATH")]) }
            let error = failure {
                try files.write(
                    .bytes(pattern(10)), to: "/Documents/a",
                    OperationContext(silenceLimit: .milliseconds(100)))
            }
            #expect(error?.code == .timedOut)
            try device.update { $0.faults = FaultPlan() }
            try files.write(.bytes(pattern(20)), to: "/Documents/a")
            #expect(try device.documentNames() == ["a"])
            #expect(try files.readWhole("/Documents/a") == pattern(20))
        }
    }

    @Test("A connection that breaks in the middle of an upload is replaced and the upload begins again")
    func brokenConnection() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.faults = FaultPlan([Fault(.disconnect, operation: "FILE_WRITE", skipping: 1, times: 1)])
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            try files.write(.bytes(pattern(2_000_000)), to: "/Documents/a")
            #expect(try files.readWhole("/Documents/a") == pattern(2_000_000))
            #expect(files.counters.connectionsLost == 1)
            #expect(try device.documentNames() == ["a"])
        }
    }

    @Test("The same file twice in a batch is written once, and the other item says why not")
    func duplicates() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            let results = files.pushMany([
                PushRequest(.bytes([1]), to: "/Documents/a"), PushRequest(.bytes([2]), to: "Documents/a"),
            ])
            #expect(try results[0].get().size == 1)
            #expect(code { try results[1].get() } == .busy)
            try files.write(.bytes([3]), to: "/Documents/a")
        }
    }
}
