import Foundation
import TestSupport
import Testing

@testable import OverlayHostCLI

@Suite("Recordings are shown on the command line")
struct TraceTests {
    @Test("A command without overlays leaves a recording without calls")
    func emptyRecording() throws {
        let bench = try ProgramBench()
        let file = bench.folder.path("calls.trace")
        #expect(bench.run(["books", "--device", "none", "--trace", file]).status == 69)
        let show = bench.run(["trace", "show", file])
        #expect(show.status == 0)
        #expect(show.output.hasPrefix("\(file): recorded "))
        #expect(!show.output.contains("is incomplete"))
        let records = bench.run(["trace", "show", file, "--json"]).output.split(separator: "\n")
        #expect(records.count == 2)
        #expect(records.first?.contains("\"record\": \"header\"") == true)
        let timeline = bench.run(["trace", "show", file, "--chrome"]).output
        #expect(try TimelineRules.problems(Data(timeline.utf8)) == [])
        let document = try JSONSerialization.jsonObject(with: Data(timeline.utf8)) as? [String: Any]
        #expect((document?["traceEvents"] as? [Any])?.isEmpty == true)
    }

    @Test("A recording does not replace a file that is not a recording")
    func noReplacing() throws {
        let bench = try ProgramBench()
        let file = try bench.file("novel.txt", Data("Call me Ishmael.".utf8))
        let run = bench.run(["books", "--trace", file, "--json"])
        #expect(run.status == 73)
        #expect(try run.error("code") == "already_exists")
        #expect(try run.error("subject") == file)
        #expect(FileManager.default.contents(atPath: file) == Data("Call me Ishmael.".utf8))
    }

    @Test("Files that are not recordings, or are cut off, are errors with the status of bad input")
    func badInput() throws {
        let bench = try ProgramBench()
        let novel = try bench.file("novel.txt", Data("Call me Ishmael.".utf8))
        for arguments in [["trace", "show", novel], ["replay", novel, "none.so"]] {
            let run = bench.run(arguments + ["--json"])
            #expect(run.status == 66)
            #expect(try run.error("code") == "damaged")
        }
        let file = bench.folder.path("calls.trace")
        _ = bench.run(["books", "--device", "none", "--trace", file])
        let whole = try #require(FileManager.default.contents(atPath: file))
        let cut = try bench.file("cut.trace", whole.prefix(whole.count - 8))
        let run = bench.run(["trace", "show", cut])
        #expect(run.status == 66)
        #expect(run.output.contains("recorded "), "what is whole is shown")
        #expect(run.errors.contains("damaged"))
        let none = bench.run(["trace", "show", bench.folder.path("none")])
        #expect(none.status == 66)
    }

    @Test("--watch is refused by commands that use no overlay, and for several devices")
    func watch() throws {
        let bench = try ProgramBench()
        let prefs = bench.run(["prefs", "path", "--watch", "--json"])
        #expect(prefs.status == 64)
        #expect(try prefs.error("subject") == "--watch")
        let many = bench.run(["books", "--device", "all", "--watch", "--json"])
        #expect(many.status == 64)
    }
}
