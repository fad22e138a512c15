import OverlayTestSupport
import Foundation
import JSON
import Logging
import OverlayABI
import TestSupport
import Testing
import Tracing

@testable import OverlayServices
@testable import OverlayHost

/// The shelf overlay with a fake device and a recording of all calls.
struct ShelfWorld {
    let world: PluginWorld
    let environment: FakeEnvironment
    let recording: String

    init() throws {
        // The folders of workers are removed when these have ended, which may be after the test.
        world = try PluginWorld(environment: ["TMPDIR": FileManager.default.temporaryDirectory.path])
        environment = try FakeEnvironment()
        recording = world.folder.path("calls.trace")
        environment.device.files["/Documents/Emma.epub"] = Array("Emma by Jane Austen".utf8)
        environment.device.files["/Documents/Ulysses.epub"] = Array("Ulysses by James Joyce".utf8)
        try ShelfOverlay.build(world.file("shelf.so"))
    }

    static func isolation(_ isWorker: Bool) throws -> OverlayIsolation {
        isWorker ? .worker(WorkerOptions(program: try FaultyOverlay.program())) : .inProcess
    }

    func load(isWorker: Bool, observer: OverlayObserver? = nil, _ name: String = "shelf.so") throws
        -> LoadedOverlay
    {
        try OverlayDiscovery(
            paths: world.paths, isolation: try Self.isolation(isWorker), observer: observer
        ).load(world.file(name))
    }

    /// Records a listing and the fetching of a book.
    func record(isWorker: Bool, limits: TraceLimits = .usual) throws {
        let observer = try #require(
            OverlayObserver(recording: try CallRecording(file: recording, limits: limits)))
        let instance = try environment.instance(of: try load(isWorker: isWorker, observer: observer))
        try instance.create()
        try instance.call(.initialize)
        try instance.note(.attached)
        let books = try instance.books(withCovers: false)
        #expect(books.count == 2)
        let bytes = CollectedBytes()
        _ = try instance.getFile("/Documents/Emma.epub") { bytes.add($0) }
        #expect(bytes.all == environment.device.files["/Documents/Emma.epub"])
        instance.destroy()
        observer.close()
    }

    /// The calls of the recording, each with its function and direction.
    func calls() throws -> [String] {
        let reader = try TraceReader(path: recording)
        var calls: [String] = []
        while let event = try reader.next() {
            guard case .call = event.content, let function = event.function else { continue }
            calls.append((event.isFromOverlay ? "< " : "> ") + function.displayName)
        }
        return calls
    }

    /// The recording as text.
    func lines() throws -> [String] {
        let reader = try TraceReader(path: recording)
        var listing = TraceListing(TraceText(), TraceListing.Style(hasTimes: false))
        var lines: [String] = []
        while let event = try reader.next() { lines += listing.lines(event) }
        return lines + listing.rest()
    }
}

@Suite("The calls of an overlay are recorded")
struct ObserverTests {
    @Test(
        "A recording reports a crash in a worker: the method, the signal, the last service and the last words"
    )
    func crashInWorker() throws {
        let shelf = try ShelfWorld()
        try ShelfOverlay.build(shelf.world.file("shelf.so"), ["CRASH"])
        let recording = try CallRecording(file: shelf.recording)
        let observer = try #require(OverlayObserver(recording: recording))
        let instance = try shelf.environment.instance(of: shelf.load(isWorker: true, observer: observer))
        try instance.create()
        try instance.call(.initialize)
        try instance.note(.attached)
        let error = hostError { () throws(HostError) in _ = try instance.books(withCovers: false) }
        #expect(error?.code == .overlayBroke)
        instance.destroy()
        observer.close()

        let reader = try TraceReader(path: shelf.recording)
        var timeline = TraceChrome()
        var found: [TraceRecorder.Breakdown] = []
        var events: [JSONValue] = []
        while let event = try reader.next() {
            events += timeline.events(event)
            guard case .breakdown(let breakdown) = event.content else { continue }
            found.append(breakdown)
            #expect(event.function?.displayName == "books")
            let text = TraceJSON.event(event).text(.line)
            #expect(text.contains("\"record\": \"breakdown\""), "\(text)")
            #expect(text.contains("\"clause\": \"crashed with SIGABRT"), "\(text)")
        }
        #expect(found.count == 1)
        #expect(found.first?.words == "the last words")
        events += timeline.rest()
        let document = "{\"traceEvents\": [\(events.map { $0.text(.line) }.joined(separator: ","))]}"
        #expect(try TimelineRules.problems(Data(document.utf8)) == [])
        let lines = try shelf.lines()
        let place = try #require(
            lines.firstIndex { $0.contains("! books: the overlay crashed with SIGABRT, ") })
        #expect(lines[place].contains(", after calling ovl_"), "\(lines)")
        #expect(lines[place + 1].hasSuffix("! | the last words"), "\(lines)")
        #expect(lines[place...].contains { $0.contains("= books: OVL_CONTRACT_BROKEN") }, "\(lines)")
    }

    @Test("A recording reports a crash while the library loads for a method, too")
    func crashWhenLoaded() throws {
        let shelf = try ShelfWorld()
        let sign = shelf.world.file("sign")
        try ShelfOverlay.build(
            shelf.world.file("shelf.so"), ["CRASH", "CRASH_WHEN_LOADED_BESIDE=\"\(sign)\""])
        let observer = try #require(OverlayObserver(recording: CallRecording(file: shelf.recording)))
        let instance = try shelf.environment.instance(of: shelf.load(isWorker: true, observer: observer))
        try instance.create()
        try instance.call(.initialize)
        try instance.note(.attached)
        #expect(hostError { () throws(HostError) in _ = try instance.books(withCovers: false) } != nil)
        try Data().write(to: URL(fileURLWithPath: sign))
        #expect(hostError { () throws(HostError) in _ = try instance.books(withCovers: false) } != nil)
        instance.destroy()
        observer.close()

        let reader = try TraceReader(path: shelf.recording)
        var found: [TraceRecorder.Breakdown] = []
        while let event = try reader.next() {
            guard case .breakdown(let breakdown) = event.content else { continue }
            found.append(breakdown)
            #expect(event.function?.displayName == "books")
        }
        #expect(found.map(\.words) == ["the last words", "no more today"])
    }

    @Test(
        "Methods, services and sinks are recorded in both directions, in process", arguments: [false, true])
    func bothDirections(isWorker: Bool) throws {
        let shelf = try ShelfWorld()
        try shelf.record(isWorker: isWorker)
        let calls = try shelf.calls()
        let listing = [
            "> books", "< log.write", "< cancel.is_cancelled", "< transport.list", "> file_sink.put",
            "< book_sink.put",
            "> file_sink.put", "< book_sink.put",
        ]
        // A worker collects rows until they are worth a message.
        let first = try #require(calls.firstIndex(of: "> books"))
        let seen = Array(calls[first..<first + listing.count])
        if isWorker {
            #expect(seen.sorted() == listing.sorted())
        } else {
            #expect(seen == listing)
        }
        #expect(calls.first == "> create")
        #expect(calls.last == "> destroy")
        #expect(
            calls.filter { $0 == "< get_service" }.count == 3,
            "the host's own questions are not the overlay's")
        let lines = try shelf.lines()
        #expect(
            lines.contains {
                $0.contains("< transport.list(root: 2, path: \"/Documents\", options: 1, files: sink")
            }, "\(lines)")
        #expect(lines.contains { $0.contains("title: \"Emma.epub\"") }, "\(lines)")
        #expect(!lines.contains { $0.contains("is incomplete") })
    }

    @Test("A process that crashes in an overlay leaves the call that crashed as the last record")
    func crash() async throws {
        let shelf = try ShelfWorld()
        let path = shelf.recording
        await #expect(processExitsWith: .failure) { [path = path as String] in
            let fake = FakeOverlay()
            let environment = try FakeEnvironment(fake)
            fake.delete = { _, _, _ in abort() }
            let observer = try #require(OverlayObserver(recording: try CallRecording(file: path)))
            let instance = try environment.instance(
                of: observer.observed(fake.loaded, .inProcess))
            try instance.create()
            try instance.call(.initialize)
            try instance.note(.attached)
            _ = instance.deleteBooks(["/Documents/x"])
        }
        let lines = try shelf.lines()
        let last = try #require(lines.dropLast().last)
        #expect(
            last.contains("The host did not return from: delete_books(paths: [\"/Documents/x\"]"),
            "\(lines)")
        #expect(lines.last?.contains("is incomplete") == true)
    }

    @Test("Calls that restore a fresh worker after a crash are recorded within the call that needs it")
    func restart() throws {
        let shelf = try ShelfWorld()
        try FaultyOverlay.build(shelf.world.file("faulty.so"))
        let observer = try #require(OverlayObserver(recording: try CallRecording(file: shelf.recording)))
        let instance = try shelf.environment.instance(
            of: try shelf.load(isWorker: true, observer: observer, "faulty.so"))
        try instance.create()
        try instance.call(.initialize)
        try instance.note(.attached)
        #expect(instance.deleteBooks(["segv"]).failure?.code == .overlayBroke)
        #expect(instance.deleteBooks(["nothing special"]).failure == nil)
        instance.destroy()
        observer.close()
        let calls = try shelf.calls().filter { $0.hasPrefix(">") }
        #expect(
            calls == [
                "> create", "> initialize", "> delete_books", "> delete_books", "> create", "> initialize",
                "> shutdown", "> destroy",
            ])
        let lines = try shelf.lines()
        #expect(lines.count { $0.hasPrefix("  > create(") } == 1, "\(lines)")
        #expect(lines.count { $0.hasPrefix("  = create: OVL_OK") } == 1, "\(lines)")
        let replay = try OverlayReplay(
            file: shelf.recording, overlay: try shelf.load(isWorker: true, "faulty.so")
        ).report
        #expect(replay.result == "same", "\(replay)")
        #expect(replay.notes.first?.contains("in delete_books, as in the recording") == true, "\(replay)")
    }

    @Test("The result is the same with and without a recording")
    func nothingChanges() throws {
        let shelf = try ShelfWorld()
        for isObserved in [false, true] {
            let observer =
                isObserved ? OverlayObserver(recording: try CallRecording(file: shelf.recording)) : nil
            let instance = try shelf.environment.instance(
                of: try shelf.load(isWorker: false, observer: observer))
            try instance.create()
            try instance.call(.initialize)
            try instance.note(.attached)
            let error = hostError { () throws(HostError) in
                _ = try instance.getFile("/Documents/none") { _ in }
            }
            #expect(error?.code == .notFound)
            #expect(error?.subject == "/Documents/none")
            instance.destroy()
        }
    }

    @Test("The preference development_mode writes a line for each call, with the texts of commands shortened")
    func developmentLog() throws {
        let shelf = try ShelfWorld()
        let log = CollectedLog()
        let observer = try #require(OverlayObserver(log: log.logger))
        let instance = try shelf.environment.instance(of: try shelf.load(isWorker: false, observer: observer))
        try instance.create()
        try instance.call(.initialize)
        try instance.note(.attached)
        _ = try instance.books(withCovers: false)
        instance.destroy()
        let lines = log.lines.map(\.message)
        #expect(lines.contains { $0.contains("> books(") }, "\(lines)")
        #expect(
            lines.contains { $0.contains("< book_sink.put(book: {") && $0.contains("Emma.epub") }, "\(lines)")
        #expect(DiagnosticSwitches(development: true).level(of: .calls) == .debug)
        #expect(DiagnosticSwitches(verbose: true).level(of: .calls) == nil)
    }
}
