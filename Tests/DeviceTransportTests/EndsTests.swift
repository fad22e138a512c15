import DeviceTransport
import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Both ends of a file are read together") struct EndsTests {
    private let head = 1_000
    private let tail = 2_000

    private func check(_ ends: FileEnds, _ bytes: [UInt8]) {
        #expect(ends.status.size == UInt64(bytes.count) && ends.status.kind == .file)
        #expect(ends.head == Array(bytes.prefix(head)))
        #expect(ends.tail == Array(bytes.dropFirst(head).suffix(tail)))
    }

    @Test(
        "The ends are the first and last bytes of files of every length, each byte once",
        arguments: FilesTests.devices)
    func lengths(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            let sizes = [0, 1, 999, 1_000, 1_001, 2_999, 3_000, 3_001, 100_000]
            for size in sizes {
                try Data(pattern(size)).write(to: device.documents.appendingPathComponent("\(size)"))
            }
            let paths = sizes.map { "/Documents/\($0)" }
            let results = files.readEnds(paths, head: head, tail: tail)
            #expect(results.count == sizes.count)
            for (size, result) in zip(sizes, results) { check(try result.get(), pattern(size)) }
        }
    }

    @Test("The ends are complete when a device answers with less than requested")
    func shortAnswers() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.faults = FaultPlan([Fault(.shortRead(300))])
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            try Data(pattern(50_000)).write(to: device.documents.appendingPathComponent("a"))
            try Data(pattern(2_500)).write(to: device.documents.appendingPathComponent("b"))
            let results = files.readEnds(["/Documents/a", "/Documents/b"], head: head, tail: tail)
            check(try results[0].get(), pattern(50_000))
            check(try results[1].get(), pattern(2_500))
        }
    }

    @Test("The ends of a long file take five requests, and the reads do not wait for each other")
    func requests() throws {
        try withSimulatedDevice(.reader) { device in
            let files = try openFiles(device)
            try Data(pattern(3_000_000)).write(to: device.documents.appendingPathComponent("a"))
            _ = try files.stat("/Documents/a")
            device.resetCounters()
            check(try files.readEnds(["/Documents/a"], head: head, tail: tail)[0].get(), pattern(3_000_000))
            #expect(device.counters.total(of: "afc") <= 5)
            #expect(device.counters.bytesSent < 8_000)
        }
    }

    @Test("A failed file fails alone, and a broken connection is replaced")
    func failures() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.faults = FaultPlan([
            Fault(.disconnect, path: .exactly("/Documents/a"), operation: "GET_FILE_INFO", times: 1)
        ])
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            try Data(pattern(5_000)).write(to: device.documents.appendingPathComponent("a"))
            try files.makeFolder("/Documents/folder")
            let results = files.readEnds(
                ["/Documents/none", "/Documents/folder", "../x", "/Documents/a"], head: head, tail: tail)
            #expect(code { try results[0].get() } == .notFound)
            #expect(code { try results[1].get() } != nil)
            #expect(code { try results[2].get() } == .invalidArgument)
            check(try results[3].get(), pattern(5_000))
        }
    }

    @Test(
        "Several parts of one file are read with one opening, each as it would be alone", arguments: [0, 300])
    func parts(_ shortRead: Int) throws {
        var settings = SimulatedDeviceSettings.reader
        if shortRead > 0 { settings.faults = FaultPlan([Fault(.shortRead(shortRead))]) }
        try withSimulatedDevice(settings) { device in
            let files = try openFiles(device)
            let bytes = pattern(20_000)
            try Data(bytes).write(to: device.documents.appendingPathComponent("a"))
            let ranges: [Range<UInt64>] = [
                0..<1_000, 9_000..<11_000, 19_500..<25_000, 30_000..<30_010, 5..<5,
            ]
            var requests = ranges.map { FileReadRequest("/Documents/a", range: $0) }
            requests.insert(FileReadRequest("/Documents/none", range: 0..<5), at: 2)
            requests.insert(FileReadRequest("/Documents/none", range: 5..<9), at: 3)
            _ = try files.stat("/Documents/a")
            device.resetCounters()
            var results = files.readMany(requests)
            if shortRead == 0 { #expect(device.counters.total(of: "afc") <= 14) }
            #expect(code { try results[2].get() } == .notFound && code { try results[3].get() } == .notFound)
            results.removeSubrange(2..<4)
            for (range, result) in zip(ranges, results) {
                let part = bytes.dropFirst(Int(range.lowerBound)).prefix(range.count)
                #expect(try result.get() == Array(part))
            }
        }
    }
}
