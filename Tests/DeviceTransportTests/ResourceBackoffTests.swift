import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceTransport

@Suite("A device with few free handles gets less work at a time, and everything is done")
struct ResourceBackoffTests {
    private static let count = 30

    private static func device(openFiles limit: Int) -> SimulatedDeviceSettings {
        var settings = SimulatedDeviceSettings.reader
        settings.fileRules.openFileLimit = limit
        return settings
    }

    private func refusals(_ device: SimulatedDevice) -> Int {
        device.fileRequests.count { $0.operation == "FILE_OPEN" && $0.status == 3 }
    }

    @Test("All files are written and read, however few may be open", arguments: [8, 6, 4, 1])
    func contents(_ limit: Int) throws {
        try withSimulatedDevice(Self.device(openFiles: limit)) { device in
            let files = try openFiles(device)
            let paths = (0..<Self.count).map { "/Documents/\($0).epub" }
            let contents = (0..<Self.count).map { pattern(300_000 + $0) }
            let written = files.pushMany(
                zip(paths, contents).map {
                    PushRequest(.bytes($1), to: $0, options: WriteOptions(verification: .contents))
                })
            for (result, content) in zip(written, contents) {
                #expect(try result.get().size == UInt64(content.count))
            }
            // The first connection opens eight files before it can close one.
            if limit < 8 { #expect(refusals(device) > 0) }
            let names = (0..<Self.count).map { "\($0).epub" }.sorted()
            #expect(try device.documentNames() == names)
            for (result, content) in zip(files.readMany(paths.map { FileReadRequest($0) }), contents) {
                #expect(try result.get() == content)
            }
        }
    }

    @Test("Small parts of many files are read, although small files are usually kept open for a while")
    func ends() throws {
        try withSimulatedDevice(Self.device(openFiles: 4)) { device in
            for index in 0..<Self.count {
                try Data([UInt8(index)]).write(to: device.documents.appendingPathComponent("\(index)"))
            }
            let files = try openFiles(device)
            let paths = (0..<Self.count).map { "/Documents/\($0)" }
            for (index, result) in files.readEnds(paths, head: 10, tail: 10).enumerated() {
                #expect(try result.get().head == [UInt8(index)])
            }
            #expect(refusals(device) > 0)
            // Another root also finds a free handle, because none is kept open.
            let others = try openSession(device).open(.documents(bundleID: appID))
            try others.write(.bytes(pattern(100)), to: "/Documents/other")
        }
    }

    @Test("Files are fetched from a device with few free handles")
    func pull() throws {
        try withSimulatedDevice(Self.device(openFiles: 4)) { device in
            let folder = try TemporaryFolder()
            for index in 0..<Self.count {
                try Data(pattern(50_000 + index)).write(
                    to: device.documents.appendingPathComponent("\(index)"))
            }
            let files = try openFiles(device)
            let requests = (0..<Self.count).map { PullRequest("/Documents/\($0)", to: folder.path("\($0)")) }
            for result in files.pullMany(requests) { _ = try result.get() }
            for index in 0..<Self.count {
                let content = FileManager.default.contents(atPath: folder.path("\(index)"))
                #expect(content.map { [UInt8]($0) } == pattern(50_000 + index))
            }
            #expect(refusals(device) > 0)
        }
    }

    @Test(
        "A device that has nothing left for the only request is asked again",
        arguments: ["FILE_OPEN", "READ_DIR", "GET_FILE_INFO", "RENAME_PATH"])
    func alone(_ operation: String) throws {
        try withSimulatedDevice(.reader) { device in
            try Data([1]).write(to: device.documents.appendingPathComponent("a"))
            let files = try openFiles(device)
            try device.update {
                $0.faults = FaultPlan([Fault(.status(3), operation: operation, times: 2)])
            }
            switch operation {
            case "READ_DIR": #expect(try files.list("/Documents") == ["a"])
            case "GET_FILE_INFO": #expect(try files.stat("/Documents/a").size == 1)
            case "RENAME_PATH":
                try files.rename("/Documents/a", to: "/Documents/b")
                #expect(try device.documentNames() == ["b"])
            default: try files.write(.bytes([2]), to: "/Documents/a")
            }
        }
    }

    @Test(
        "A file that has arrived is not sent again when the device has nothing left for what remains to be done",
        arguments: [("SET_FILE_MOD_TIME", 0), ("GET_FILE_INFO", 0), ("FILE_OPEN", 1), ("RENAME_PATH", 0)])
    func sentOnce(_ operation: String, skipping: Int) throws {
        try withSimulatedDevice(.reader) { device in
            let content = pattern(300_000)
            let files = try openFiles(device)
            try device.update {
                $0.faults = FaultPlan([
                    Fault(.status(3), operation: operation, skipping: skipping, times: 2)
                ])
            }
            let modified: Int64 = 1_500_000_000_000_000_000
            let status = try files.write(
                .bytes(content), to: "/Documents/a",
                options: WriteOptions(verification: .contents, modified: modified))
            #expect(status.size == UInt64(content.count) && status.modified == modified)
            let requests = device.fileRequests
            #expect(requests.count { $0.operation == operation && $0.status == 3 } == 2)
            let written = requests.filter { $0.operation == "FILE_WRITE" }.reduce(0) { $0 + $1.bytesReceived }
            #expect(written >= content.count && written < 2 * content.count)
            #expect(requests.count { $0.operation == "FILE_OPEN" && $0.status == 0 } == 2)
            #expect(try device.documentNames() == ["a"])
            #expect(try files.readWhole("/Documents/a") == content)
        }
    }

    @Test("An upload waits for room to make its folder, and to look for the file it must not replace")
    func beforeSending() throws {
        for operation in ["MAKE_DIR", "GET_FILE_INFO"] {
            try withSimulatedDevice(.reader) { device in
                let files = try openFiles(device)
                try device.update {
                    $0.faults = FaultPlan([Fault(.status(3), operation: operation, times: 2)])
                }
                try files.write(
                    .bytes([1, 2]), to: "/Documents/New/a", options: WriteOptions(replacesExisting: false))
                #expect(try device.documentNames() == ["New"])
                #expect(try files.readWhole("/Documents/New/a") == [1, 2])
                #expect(device.fileRequests.count { $0.status == 3 } == 2)
            }
        }
    }

    @Test("A predecessor that has to go first is removed when the device has room for that")
    func predecessor() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.fileRules.renameReplaces = false
        try withSimulatedDevice(settings) { device in
            try Data([1]).write(to: device.documents.appendingPathComponent("a"))
            let files = try openFiles(device)
            try device.update {
                $0.faults = FaultPlan([Fault(.status(3), operation: "REMOVE_PATH", times: 2)])
            }
            try files.write(.bytes([2]), to: "/Documents/a")
            #expect(try device.documentNames() == ["a"])
            #expect(try files.readWhole("/Documents/a") == [2])
        }
    }

    @Test("A look whether a lost rename was carried out is repeated", arguments: [true, false])
    func look(isUpload: Bool) throws {
        try withSimulatedDevice(.reader) { device in
            try Data([1]).write(to: device.documents.appendingPathComponent("a"))
            let files = try openFiles(device)
            try device.update {
                $0.faults = FaultPlan([
                    Fault(.disconnectUnanswered, operation: "RENAME_PATH", times: 1),
                    Fault(.status(3), operation: "GET_FILE_INFO", skipping: 1, times: 2),
                ])
            }
            if isUpload {
                try files.write(.bytes([2]), to: "/Documents/b")
            } else {
                try files.rename("/Documents/a", to: "/Documents/b")
            }
            #expect(try device.documentNames() == (isUpload ? ["a", "b"] : ["b"]))
            #expect(device.fileRequests.count { $0.operation == "RENAME_PATH" } == 1)
            #expect(device.fileRequests.count { $0.status == 3 } == 2)
        }
    }

    @Test(
        "A file is read when the device has nothing left for the question of its size",
        arguments: [true, false])
    func size(isWhole: Bool) throws {
        try withSimulatedDevice(.reader) { device in
            try Data([1, 2]).write(to: device.documents.appendingPathComponent("a"))
            let files = try openFiles(device)
            try device.update {
                $0.faults = FaultPlan([Fault(.status(3), operation: "GET_FILE_INFO", times: 2)])
            }
            if isWhole {
                #expect(try files.readWhole("/Documents/a") == [1, 2])
            } else {
                #expect(try files.readEnds(["/Documents/a"], head: 1, tail: 1)[0].get().tail == [2])
            }
            #expect(device.fileRequests.count { $0.status == 3 } == 2)
        }
    }

    @Test("Leftovers of an upload over lost connections are removed when the device has room for that")
    func tidying() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            try device.update {
                $0.faults = FaultPlan([
                    Fault(.disconnect, operation: "FILE_WRITE", times: 2),
                    Fault(.status(3), operation: "REMOVE_PATH", times: 2),
                ])
            }
            #expect(code { try files.write(.bytes(pattern(10)), to: "/Documents/a") } == .connectionLost)
            #expect(device.fileRequests.count { $0.status == 3 } == 2)
            #expect(try device.documentNames().isEmpty)
        }
    }

    @Test("A deadline ends the waiting for a handle, and nothing is left on the device")
    func deadline() throws {
        try withSimulatedDevice(Self.device(openFiles: 0)) { device in
            let files = try openFiles(device)
            let results = files.pushMany(
                (0..<3).map { PushRequest(.bytes([1]), to: "/Documents/\($0)") },
                OperationContext(limit: .milliseconds(200)))
            #expect(results.map { result in code { try result.get() } } == [.timedOut, .timedOut, .timedOut])
            #expect(try device.documentNames().isEmpty)
        }
    }

    @Test("A file whose connection is lost, and that has to wait after that, leaves nothing behind")
    func lostConnection() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            try device.update {
                $0.faults = FaultPlan([
                    Fault(.disconnect, operation: "FILE_WRITE", times: 1),
                    Fault(.status(3), operation: "FILE_OPEN", skipping: 1, times: 2),
                ])
            }
            try files.write(.bytes(pattern(10)), to: "/Documents/a")
            #expect(try device.documentNames() == ["a"])
        }
    }

    @Test(
        "A refused job reduces the number of jobs, and a single refused job waits longer and longer"
    )
    func judgement() {
        let start = ContinuousClock.now
        var backoff = ResourceBackoff()
        #expect(backoff.admits(others: 1000))
        let triesAgain = backoff.refuse(others: 5, at: start)
        #expect(triesAgain && backoff.mostJobs == 5)
        #expect(backoff.admits(others: 4, at: start) && !backoff.admits(others: 5, at: start))
        for _ in 0..<5 { backoff.carryOut() }
        #expect(backoff.mostJobs == 6)
        var now = start
        var pauses: [Duration] = []
        while backoff.refuse(others: 0, at: now), let end = backoff.resumes {
            #expect(!backoff.admits(others: 0, at: now) && backoff.admits(others: 0, at: end))
            pauses.append(now.duration(to: end))
            now = end
            backoff.begin()
        }
        #expect(backoff.mostJobs == 1)
        #expect(pauses == pauses.sorted() && pauses.first == .milliseconds(50))
        #expect(start.duration(to: now) >= ResourceBackoff.patience)
        backoff.carryOut()
        let triesAfterSuccess = backoff.refuse(others: 0, at: now)
        #expect(triesAfterSuccess)
    }

    @Test("A pause that has ended causes no wait")
    func endedPause() throws {
        let start = ContinuousClock.now
        var backoff = ResourceBackoff()
        #expect(backoff.pauseEnd(after: start) == nil)
        let triesAgain = backoff.refuse(others: 0, at: start)
        let end = try #require(backoff.resumes)
        #expect(triesAgain && backoff.pauseEnd(after: start) == end)
        // A job that has not begun after the pause waits for something else, and no job that is admitted later is
        // overlooked.
        #expect(backoff.pauseEnd(after: end) == nil && backoff.admits(others: 0, at: end))
    }

    @Test("Each job may wait in vain for itself, and all together three times as long")
    func patienceOfEach() {
        var backoff = ResourceBackoff()
        var now = ContinuousClock.now
        var waits: [Duration] = []
        for _ in 0..<5 {
            let start = now
            while backoff.refuse(others: 0, at: now), let end = backoff.resumes {
                now = end
                backoff.begin()
            }
            waits.append(start.duration(to: now))
        }
        #expect(waits[0..<2].allSatisfy { $0 >= ResourceBackoff.patience })
        #expect(waits[2] > .zero && waits[2] < ResourceBackoff.patience + .seconds(1))
        #expect(waits[3...] == [.zero, .zero])
        backoff.carryOut()
        let triesAfterSuccess = backoff.refuse(others: 0, at: now)
        #expect(triesAfterSuccess)
    }
}
