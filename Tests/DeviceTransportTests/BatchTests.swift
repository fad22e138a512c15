import DeviceTransport
import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("Batches run over several connections") struct BatchTests {
    @Test("Many files are written and read back, each result at its place", arguments: FilesTests.devices)
    func pushAndRead(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            let names = (0..<60).map { "/Documents/\($0)" }
            var reported: Set<Int> = []
            let results = files.pushMany(
                names.enumerated().map { PushRequest(.bytes(pattern($0.offset * 3001)), to: $0.element) }
            ) { index, _ in reported.insert(index) }
            for (index, result) in results.enumerated() {
                #expect(try result.get().size == UInt64(index * 3001))
            }
            #expect(reported.count == 60)
            for (index, result) in files.readMany(names.map { FileReadRequest($0) }).enumerated() {
                #expect(try result.get() == pattern(index * 3001))
            }
            for (index, result) in files.statMany(names).enumerated() {
                #expect(try result.get().size == UInt64(index * 3001))
            }
        }
    }

    @Test("Names read ahead are kept up to a limit, and those of the first folder always")
    func boundedListings() throws {
        try withSimulatedDevice(.reader) { device in
            for folder in ["a", "b", "c"] {
                let place = device.documents.appendingPathComponent(folder)
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                for number in 10..<60 { try Data().write(to: place.appendingPathComponent("file \(number)")) }
            }
            let files = try openFiles(device)
            let folders = ["/Documents/a/", "/Documents/b", "/Documents/c"]
            // Each answer has 50 names of 7 letters with their terminators, and the two dot entries.
            let one = 50 * 8 + 5
            func codes(_ most: Int) -> [TransportError.Code?] {
                files.listMany(folders, keeping: most).map { result in code { try result.get() } }
            }
            #expect(codes(2 * one) == [nil, nil, nil])
            // The device decides which of the two comes last.
            let some = codes(2 * one - 1)
            #expect(some == [nil, nil, .tooLarge] || some == [nil, .tooLarge, nil])
            #expect(codes(0) == [nil, .tooLarge, .tooLarge])
            #expect(try files.list("/Documents/a").count == 50)
        }
    }

    @Test("A failed item fails alone")
    func itemFailures() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.faults = FaultPlan([
            .status(10, at: .exactly("/Documents/3"), operation: "RENAME_PATH"),
            .status(18, at: .exactly("/Documents/5/x")),
        ])
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            var requests = (0..<10).map { PushRequest(.bytes([UInt8($0)]), to: "/Documents/\($0)") }
            requests[7].path = "../7"
            requests[8].source = .file("/nonexistent/8")
            let codes = files.pushMany(requests).map { result in code { try result.get() } }
            #expect(codes[3] == .permissionDenied && codes[7] == .invalidArgument && codes[8] == .notFound)
            #expect(codes.filter { $0 == nil }.count == 7)
            #expect(try device.documentNames() == ["0", "1", "2", "4", "5", "6", "9"])
            let read = files.readMany((0..<10).map { FileReadRequest("/Documents/\($0)") })
            #expect(code { try read[3].get() } == .notFound)
            #expect(try read[9].get() == [9])
        }
    }

    @Test("Files are fetched to this computer whole or not at all", arguments: FilesTests.devices)
    func pull(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            let folder = try TemporaryFolder()
            let files = try openFiles(device)
            for index in 0..<12 {
                try Data(pattern(index * 100_003)).write(
                    to: device.documents.appendingPathComponent("\(index)"))
            }
            try Data([9]).write(to: folder.url.appendingPathComponent("4"))
            let results = files.pullMany(
                (0..<13).map {
                    PullRequest("/Documents/\($0)", to: folder.path("\($0)"), synchronizes: $0 == 1)
                })
            for index in [0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11] {
                #expect(try results[index].get().size == UInt64(index * 100_003))
                #expect(
                    try Data(contentsOf: folder.url.appendingPathComponent("\(index)"))
                        == Data(pattern(index * 100_003)))
            }
            #expect(code { try results[4].get() } == .exists)
            #expect(code { try results[12].get() } == .notFound)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(Set(names) == Set((0..<12).map { "\($0)" }))
            #expect(try Data(contentsOf: folder.url.appendingPathComponent("4")) == Data([9]))
            try files.pull(PullRequest("/Documents/4", to: folder.path("4"), replacesExisting: true))
            #expect(try Data(contentsOf: folder.url.appendingPathComponent("4")) == Data(pattern(400_012)))
        }
    }

    @Test(
        "A file of a known size needs no question; one of another size comes whole, and a folder is refused")
    func expectedSize() throws {
        try withSimulatedDevice(.reader) { device in
            let folder = try TemporaryFolder()
            let files = try openFiles(device)
            for size in [0, 1000, 600_000] {
                let content = pattern(size)
                try Data(content).write(to: device.documents.appendingPathComponent("a"))
                for expected in [size, size + 1, max(size - 1, 0), 0, 2_000_000] {
                    device.resetCounters()
                    let status = try files.pull(
                        PullRequest(
                            "/Documents/a", to: folder.path("a"), replacesExisting: true,
                            expectedSize: UInt64(expected)))
                    #expect(status.size == UInt64(size))
                    #expect(try Data(contentsOf: folder.url.appendingPathComponent("a")) == Data(content))
                    let looks = device.counters.requests["afc.GET_FILE_INFO"] ?? 0
                    #expect(looks == (expected == size ? 0 : 1), "\(size) bytes, expected \(expected)")
                }
            }
            let paths = ["/Documents", "/Documents/none"]
            let answers = files.pullMany(
                paths.map { PullRequest($0, to: folder.path("b"), expectedSize: 10) })
            #expect(answers.map { answer in code { try answer.get() } } == [.isFolder, .notFound])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a"])
        }
    }

    @Test("A file that is shorter than the device said is not fetched")
    func shortPull() throws {
        // Reads of this file give no data, although it has a size.
        var settings = SimulatedDeviceSettings.reader
        settings.faults = FaultPlan([.status(14, at: .exactly("/Documents/a"), operation: "FILE_READ")])
        try withSimulatedDevice(settings) { device in
            let folder = try TemporaryFolder()
            let files = try openFiles(device)
            try Data(pattern(1000)).write(to: device.documents.appendingPathComponent("a"))
            #expect(
                code { try files.pull(PullRequest("/Documents/a", to: folder.path("a"))) }
                    == .verificationFailed)
            #expect(
                code {
                    try files.pull(PullRequest("/Documents/a", to: folder.path("a"), expectedSize: 1000))
                } == .verificationFailed)
            #expect(code { try files.readWhole("/Documents/a") } == .verificationFailed)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test("A device that refuses further connections is used over the existing one")
    func fewerConnections() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.connectionLimit = 1
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            let results = files.pushMany(
                (0..<100).map { PushRequest(.bytes(pattern(20_000)), to: "/Documents/\($0)") })
            #expect(results.allSatisfy { result in code { try result.get() } == nil })
            #expect(try files.list("/Documents").count == 100)
            #expect(files.counters.connectionsOpened == 1)
        }
    }

    @Test(
        "No request is made twice: an upload costs five, a read with its stat four, a read of known size three"
    )
    func requestCounts() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            var before = files.counters
            _ = files.pushMany((0..<50).map { PushRequest(.bytes(pattern(5000)), to: "/Documents/\($0)") })
            #expect((files.counters - before).requests == 250)
            before = files.counters
            _ = files.readMany((0..<50).map { FileReadRequest("/Documents/\($0)") })
            #expect((files.counters - before).requests == 200)
            before = files.counters
            _ = files.readMany((0..<50).map { FileReadRequest("/Documents/\($0)", expectedSize: 5000) })
            // The last small files on each of up to four connections may be closed later, together with others.
            #expect((150 - 4 * 8...150).contains((files.counters - before).requests))
            before = files.counters
            _ = files.statMany((0..<50).map { "/Documents/\($0)" })
            #expect((files.counters - before).requests == 50)
            // The device may still be handling closes, which are sent without waiting for their answers.
            try waitUntil { UInt64(device.counters.total(of: "afc")) == files.counters.requests }
        }
    }

    @Test("Progress counts every byte and every item, and never goes backwards without a reason")
    func progress() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            let reports = Mutex<[TransferProgress]>([])
            let context = OperationContext { progress in reports.withLock { $0.append(progress) } }
            _ = files.pushMany(
                (0..<20).map { PushRequest(.bytes(pattern(50_000)), to: "/Documents/\($0)") }, context)
            let all = reports.withLock { $0 }
            let last = try #require(all.last)
            #expect(last.bytes == 1_000_000 && last.totalBytes == 1_000_000)
            #expect(last.items == 20 && last.totalItems == 20)
            #expect(Set(all.compactMap(\.item)).isSubset(of: Set(0..<20)) && last.item != nil)
            #expect(zip(all, all.dropFirst()).allSatisfy { $0.bytes <= $1.bytes && $0.items <= $1.items })
            reports.withLock { $0 = [] }
            _ = try files.readWhole("/Documents/0", context)
            #expect(reports.withLock { $0.last?.bytes } == 50_000)
        }
    }

    @Test("Several threads use one root at the same time")
    func threads() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 12) { number in
                do {
                    let path = "/Documents/t\(number)"
                    try files.write(.bytes(pattern(number * 70_000)), to: path)
                    let read = try files.readWhole(path)
                    guard read == pattern(number * 70_000), try files.stat(path).size == UInt64(read.count)
                    else {
                        return failures.withLock { $0.append("\(number) differs") }
                    }
                } catch {
                    failures.withLock { $0.append("\(number): \(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
            #expect(files.counters.connectionsOpened <= 4)
        }
    }

    @Test("A single call gets a turn while a long batch has the only connection")
    func turns() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.connectionLimit = 1
        settings.requestLatency = .milliseconds(2)
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            let items = Mutex(0)
            let pushing = inBackground {
                files.pushMany(
                    (0..<400).map { PushRequest(.bytes([1]), to: "/Documents/\($0)") },
                    OperationContext { progress in items.withLock { $0 = progress.items } }
                ).filter { result in code { try result.get() } != nil }.count
            }
            try waitUntil { items.withLock { $0 } > 0 }
            #expect(try files.stat("/Documents").kind == .folder)
            #expect(items.withLock { $0 } < 400)
            #expect(pushing() == 0)
        }
    }

    @Test("A closure of a batch that uses the same root is refused and does not hang")
    func nested() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            var inner: TransportError.Code?
            _ = files.pushMany([PushRequest(.bytes([1]), to: "/Documents/a")]) { _, _ in
                inner = code { try files.stat("/Documents/a") }
            }
            #expect(inner == .busy)
            #expect(try files.exists("/Documents/a"))
        }
    }

    @Test("Entries of a large folder come with their status, at one request each")
    func entries() throws {
        try withSimulatedDevice(.reader) { device in
            for index in 0..<300 {
                try Data(pattern(index)).write(to: device.documents.appendingPathComponent("\(index)"))
            }
            let files = try openFiles(device)
            let entries = try files.entries("/Documents/")
            #expect(entries.count == 300)
            #expect(entries.allSatisfy { $0.status.size == UInt64($0.name) })
            #expect(files.counters.requests == 301)
        }
    }

    @Test("Removing many names reports each result")
    func removeMany() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            _ = files.pushMany((0..<5).map { PushRequest(.bytes([1]), to: "/Documents/\($0)") })
            let results = files.removeMany((0..<7).map { "/Documents/\($0)" })
            #expect(
                results.map { result in code { try result.get() } } == [
                    nil, nil, nil, nil, nil, .notFound, .notFound,
                ])
            #expect(try device.documentNames().isEmpty)
        }
    }
}
