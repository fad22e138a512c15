import OverlayTestSupport
import DeviceTransport
import Foundation
import TestSupport
import Testing
import Tracing

@testable import OverlayServices
@testable import OverlayHost

@Suite("A recording is replayed")
struct ReplayTests {
    private func replay(
        _ shelf: ShelfWorld, _ macros: [String], isWorker: Bool = false, ignoring: Set<String> = []
    )
        throws -> ReplayReport
    {
        let name = "variant-\(UInt32.random(in: 0...UInt32.max)).so"
        try ShelfOverlay.build(shelf.world.file(name), macros)
        return try OverlayReplay(
            file: shelf.recording, overlay: try shelf.load(isWorker: isWorker, name), ignoring: ignoring
        ).report
    }

    @Test(
        "The overlay that was recorded does the same, wherever it was recorded and wherever it is replayed",
        arguments: [false, true], [false, true])
    func same(recordedInWorker: Bool, replayedInWorker: Bool) throws {
        let shelf = try ShelfWorld()
        try shelf.record(isWorker: recordedInWorker)
        let report = try replay(shelf, [], isWorker: replayedInWorker)
        #expect(report.result == "same", "\(report)")
        #expect(report.methods == 4, "create, books, get_file, destroy")
        #expect(report.calls >= 10)
    }

    @Test("An overlay's log, and how often it asks whether to stop, are not differences")
    func looseCalls() throws {
        let shelf = try ShelfWorld()
        try shelf.record(isWorker: false)
        #expect(try replay(shelf, ["MORE_LOGS"]).result == "same")
    }

    @Test("A different argument of a service is reported by its name, with both values")
    func otherArgument() throws {
        let shelf = try ShelfWorld()
        try shelf.record(isWorker: false)
        let difference = try #require(try replay(shelf, ["FOLDER=\"/Books\""]).difference)
        #expect(difference.method == "books")
        #expect(difference.function == "transport.list")
        #expect(difference.place == "path")
        #expect(difference.expected == "\"/Documents\"")
        #expect(difference.seen == "\"/Books\"")
    }

    @Test("Another field of a row is reported, and can be ignored")
    func otherField() throws {
        let shelf = try ShelfWorld()
        try shelf.record(isWorker: false)
        let macros = ["PREFIX=\"The \""]
        let difference = try #require(try replay(shelf, macros, isWorker: true).difference)
        #expect(difference.function == "book_sink.put")
        #expect(difference.place == "book.title")
        #expect(difference.expected == "\"Emma.epub\"")
        #expect(difference.seen == "\"The Emma.epub\"")
        #expect(try replay(shelf, macros, ignoring: ["book_sink.put.book"]).result == "same")
        #expect(try replay(shelf, macros, ignoring: ["book_sink.put"]).result == "same")
    }

    @Test("Additional and missing calls are differences")
    func otherCalls() throws {
        let shelf = try ShelfWorld()
        try shelf.record(isWorker: false)
        let more = try #require(try replay(shelf, ["EXTRA_CALL"]).difference)
        #expect(more.expected.hasPrefix("a call of transport.list("))
        #expect(more.seen.hasPrefix("a call of transport.free_space("))
        let fewer = try #require(try replay(shelf, ["FORGET_THE_LIST"]).difference)
        #expect(fewer.expected.hasPrefix("a call of transport.list("))
        #expect(fewer.seen == "books returned")
    }

    @Test("A crash is a difference with its cause")
    func crash() throws {
        let shelf = try ShelfWorld()
        try shelf.record(isWorker: false)
        let difference = try #require(try replay(shelf, ["CRASH"], isWorker: true).difference)
        #expect(difference.method == "books")
        #expect(difference.expected == "a return")
        #expect(difference.seen.contains("SIGABRT"), "\(difference)")
    }

    @Test(
        "If the recorded overlay crashed, one that returns differs, and one that crashes does not")
    func recordedCrash() throws {
        let shelf = try ShelfWorld()
        try ShelfOverlay.build(shelf.world.file("shelf.so"), ["CRASH"])
        let observer = try #require(OverlayObserver(recording: try CallRecording(file: shelf.recording)))
        let instance = try shelf.environment.instance(of: shelf.load(isWorker: true, observer: observer))
        try instance.create()
        try instance.call(.initialize)
        try instance.note(.attached)
        #expect(
            hostError { () throws(HostError) in _ = try instance.books(withCovers: false) }?.code
                == .overlayBroke)
        instance.destroy()
        observer.close()
        let same = try replay(shelf, ["CRASH"], isWorker: true)
        #expect(same.difference == nil, "\(same)")
        #expect(same.notes.contains { $0.contains("stopped in books, as in the recording") })
        let difference = try #require(try replay(shelf, []).difference)
        #expect(difference.expected.contains("crashed with SIGABRT"), "\(difference)")
        #expect(difference.seen.hasPrefix("a call of transport.list("), "\(difference)")
    }

    @Test("A cancel ends a replay at once, even of an overlay that hangs")
    func cancelled() throws {
        let shelf = try ShelfWorld()
        try shelf.record(isWorker: false)
        try ShelfOverlay.build(shelf.world.file("hanging.so"), ["HANG"])
        let cancellation = Cancellation()
        var options = WorkerOptions(program: try FaultyOverlay.program())
        options.cancellation = cancellation
        options.endsAtOnce = true
        options.words = { _, line in if line == "hanging" { cancellation.cancel() } }
        let discovery = OverlayDiscovery(paths: shelf.world.paths, isolation: .worker(options))
        let overlay = try discovery.load(shelf.world.file("hanging.so"))
        let error = hostError { () throws(HostError) in
            _ = try OverlayReplay(file: shelf.recording, overlay: overlay, cancellation: cancellation)
        }
        #expect(error?.code == .cancelled, "\(String(describing: error))")
    }

    @Test("Contents that were not recorded stop a replay with a message; with all contents it runs")
    func contents() throws {
        let shelf = try ShelfWorld()
        try shelf.record(isWorker: false, limits: TraceLimits(bytes: 2, text: 1000))
        let report = try replay(shelf, [])
        #expect(report.result == "incomplete")
        #expect(report.obstacle?.contains("Only 2 of ") == true, "\(report)")
        #expect(report.hint == "Record again with --trace-contents.")
        try shelf.record(isWorker: false, limits: .whole)
        #expect(try replay(shelf, []).result == "same")
    }

    @Test("A recording that ends within a call is replayed up to there")
    func cut() throws {
        let shelf = try ShelfWorld()
        try shelf.record(isWorker: false)
        let bytes = try #require(FileManager.default.contents(atPath: shelf.recording))
        try bytes.prefix(bytes.count - 400).write(to: URL(fileURLWithPath: shelf.recording))
        let report = try replay(shelf, [])
        #expect(report.difference == nil, "\(report)")
        #expect(!report.notes.isEmpty)
    }

    @Test("A recording of another overlay, and an invalid file, are errors with the file's name")
    func others() throws {
        let shelf = try ShelfWorld()
        try shelf.record(isWorker: false)
        try FaultyOverlay.build(shelf.world.file("faulty.so"))
        let faulty = try shelf.load(isWorker: false, "faulty.so")
        let error = hostError { () throws(HostError) in
            _ = try OverlayReplay(file: shelf.recording, overlay: faulty)
        }
        #expect(error?.code == .inputUnreadable)
        #expect(error?.message.contains("shelf") == true)
        let none = hostError { () throws(HostError) in
            _ = try OverlayReplay(file: shelf.world.file("faulty.so"), overlay: faulty)
        }
        #expect(none?.code == .damaged)
    }
}
