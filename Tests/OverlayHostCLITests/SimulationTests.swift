import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import OverlayHostCLI

@Suite("Settings of a simulated device that mean nothing")
struct SimulationTests {
    @Test(
        "A wrong option ends with 64 and makes no folder",
        arguments: [
            ["--ios", "abc"], ["--ios", "9"], ["--ios", "9."], ["--ios", "9.3.5.1"], ["--ios", "9.٣"],
            ["--trust", "some"], ["--marvin", "lazy"], ["--latency=-1"],
        ])
    func options(wrong: [String]) throws {
        let bench = try ProgramBench()
        let folder = bench.folder.path("device")
        let run = bench.run(["simulate", folder, "--json"] + wrong)
        #expect(run.status == 64)
        #expect(try run.error("code") == "usage")
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test("A second start in a folder whose device runs is refused, and leaves that device alone")
    func secondStart() throws {
        let bench = try ProgramBench()
        let folder = URL(fileURLWithPath: bench.folder.path("device"))
        let first = try Simulation(folder: folder, books: [], changes: SimulatedDeviceFile())
        defer { first.stop() }
        let staging = folder.appendingPathComponent("Containers/\(Simulation.marvin)/Library/calibre")
        let before = try FileManager.default.contentsOfDirectory(atPath: staging.path)
        #expect(before.contains("connected.xml"))
        let run = bench.run(["simulate", folder.path, "--json"])
        #expect(run.status == 73)
        #expect(try run.error("message")?.contains("is running at this socket") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: staging.path) == before)
    }

    @Test(
        "A wrong device.json is named with the line or the member, and left as it is",
        arguments: [
            ("{\n  \"name\": tru\n}", "line 2, column 11"),
            (#"{"apps": [{"name": "x"}]}"#, "apps[0].bundle_id is missing."),
            (#"{"apps": [{"bundle_id": "../x", "name": "x"}]}"#, "bundle_id cannot be '../x'"),
            (#"{"locked": "yes"}"#, "locked must be true or false."),
            (#"{"request_latency": -1}"#, "request_latency cannot be '-1.0'"),
            (#"{"free_bytes": "many"}"#, "free_bytes must be a whole number."),
            (#"{"ios": "nine"}"#, "ios cannot be 'nine'"),
            (#"{"trust": "yes"}"#, "it must be one of trusted, neverPaired, pairingPending, denied."),
            (#"{"marvin": "lazy"}"#, "marvin cannot be 'lazy'"),
            (#"{"bandwidth": 1.5}"#, "should be whole"),
            (#"{"apps": 3}"#, "apps must be a list."),
            ("[]", "The device file must be an object"),
            ("", "line 1, column 1"),
        ])
    func file(content: String, message: String) throws {
        let bench = try ProgramBench()
        let file = bench.folder.url.appendingPathComponent("device.json")
        try Data(content.utf8).write(to: file)
        let run = bench.run(["simulate", bench.folder.url.path, "--json"])
        #expect(run.status == 78)
        #expect(try run.error("message")?.contains(message) == true, "\(run.output)")
        #expect(try run.error("subject") == file.path)
        #expect(try Data(contentsOf: file) == Data(content.utf8))
    }

    @Test("A folder that cannot be made is named in the system's words")
    func folder() throws {
        let bench = try ProgramBench()
        try Data().write(to: bench.folder.url.appendingPathComponent("file"))
        for folder in ["file", "file/device"] {
            let run = bench.run(["simulate", bench.folder.path(folder), "--json"])
            #expect(run.status == 73)
            #expect(try run.error("message")?.hasSuffix("cannot be made: not a directory.") == true)
        }
    }
}
