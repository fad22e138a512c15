import Diagnostics
import OverlayCalls
import Foundation
import OverlayABI
import TestSupport
import Testing

@testable import Tracing

@Suite("Recordings that are cut or damaged are read as far as possible")
struct HostileRecordingTests {
    let folder: TemporaryFolder
    let whole: [UInt8]

    init() throws {
        folder = try TemporaryFolder()
        let path = folder.path("whole.trace")
        let recorder = try TraceRecorder(path: path, host: "test 1.0")
        recorder.overlay(RecordingFileTests.overlay)
        let interposer = Interposer([recorder])
        let plan = try #require(ContractPlans.shared.record("ovl_host"))
        var host = ovl_host()
        host.struct_size = UInt32(MemoryLayout<ovl_host>.size)
        host.get_service = { _, _, _ in nil }
        withUnsafePointer(to: host) { host in
            let traced = TracedTable(plan, UnsafeRawPointer(host), interposer, instance: 1)
            let table = traced.pointer.assumingMemoryBound(to: ovl_host.self)
            for id in ["one", "another"] {
                var id = id
                id.withUTF8 { bytes in
                    bytes.withMemoryRebound(to: CChar.self) { bytes in
                        var text = ovl_text(data: bytes.baseAddress, size: UInt64(bytes.count))
                        _ = table.pointee.get_service?(table.pointee.ctx, &text, 8)
                    }
                }
            }
            traced.close()
        }
        recorder.close()
        whole = Array(try #require(FileManager.default.contents(atPath: path)))
    }

    /// Reads a file of these bytes. Returns the number of its records, and the error in the rest.
    private func read(_ bytes: [UInt8]) throws -> (count: Int, problem: TraceError?) {
        let path = folder.path("part.trace")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        var count = 0
        do throws(TraceError) {
            let reader = try TraceReader(path: path)
            while try reader.next() != nil { count += 1 }
            return (count, nil)
        } catch {
            return (count, error)
        }
    }

    @Test("A whole recording has all its records")
    func all() throws {
        let result = try read(whole)
        #expect(result.problem == nil)
        #expect(result.count == 6)
    }

    @Test("A recording that is cut anywhere is read up to the cut, and the rest is an error")
    func truncated() throws {
        var before = 0
        let header = Int(whole[12]) | Int(whole[13]) << 8 | Int(whole[14]) << 16
        for length in stride(from: 0, to: whole.count, by: 1) where length < 70 || length > header - 10 {
            let result = try read(Array(whole[..<length]))
            #expect(result.count >= before, "\(length)")
            before = max(before, result.count)
            if length < header { #expect(result.problem != nil, "\(length)") }
            if let problem = result.problem {
                #expect([.noRecording, .damaged].contains(problem.code), "\(length): \(problem)")
            }
        }
        #expect(before == 5)
    }

    @Test("The zeros behind the last record of a program that was killed are not records")
    func zeros() throws {
        let result = try read(whole + [UInt8](repeating: 0, count: 5000))
        #expect(result.problem == nil)
        #expect(result.count == 6)
    }

    @Test("A record that was being written is the last one, without its arguments")
    func unfinished() throws {
        // The last call: the third record from the end.
        let path = folder.path("open.trace")
        var bytes = whole
        var places: [Int] = []
        var place = Int(whole[12]) | Int(whole[13]) << 8 | Int(whole[14]) << 16
        while place < bytes.count {
            places.append(place)
            place += (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
        }
        let last = places[places.count - 3]
        for index in 0..<4 { bytes[last + index] = 0xFF }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let reader = try TraceReader(path: path)
        var events: [TraceEvent] = []
        while let event = try reader.next() { events.append(event) }
        #expect(events.last?.function?.displayName == "get_service")
        guard case .call(nil)? = events.last?.content else {
            Issue.record("the last record should have no arguments")
            return
        }
        var listing = TraceListing()
        for event in events { _ = listing.lines(event) }
        #expect(listing.rest().contains("The overlay did not return from: get_service(…)"))
    }

    @Test("Any bytes are answered with records or an error", arguments: 0..<300)
    func damaged(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var bytes = whole
        for _ in 0..<(1 + Int(random.next() % 8)) {
            bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
        }
        let result = try read(bytes)
        #expect(result.count <= 6)
    }

    @Test("A different version of the format or of the contract is reported by its number")
    func versions() throws {
        var bytes = whole
        bytes[8] = 9
        #expect(try read(bytes).problem?.code == .otherVersion)
        bytes = whole
        bytes[16] = 7
        let problem = try read(bytes).problem
        #expect(problem?.code == .otherVersion)
        #expect(problem?.message.contains("contract version 7") == true)
    }

    @Test("A folder and a file that is not there are errors of reading")
    func noFile() throws {
        #expect(throws: TraceError.self) { _ = try TraceReader(path: folder.path) }
        let error = #expect(throws: TraceError.self) { _ = try TraceReader(path: folder.path("none")) }
        #expect(error?.code == .unreadable)
    }

    @Test("A file that is not a recording is closed once")
    func closedOnce() throws {
        let path = folder.path("text")
        try Data("no recording".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try BystanderDescriptors.lost { _ = try TraceReader(path: path) } == 0)
    }
}
