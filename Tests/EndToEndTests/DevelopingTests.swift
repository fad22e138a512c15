import SimulatedDevice
import Foundation
import TestSupport
import Testing

@Suite("An overlay is developed from the command line")
struct DevelopingTests {
    private func library() throws -> URL {
        try buildProductsFolder().appendingPathComponent("libMarvinOverlay.so")
    }

    @Test("A recording of a worker is shown, and replayed without the device")
    func traceAndReplay() throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")])
        let file = bench.folder.path("calls.trace")
        let books = try bench.run("books", "--app", "Marvin", "--trace", file, "--trace-contents")
        #expect(books.status == 0, "\(books.errors)")
        let show = try bench.run("trace", "show", file)
        #expect(show.status == 0)
        #expect(show.output.contains(" > books(options: {}, books: sink "), "\(show.output)")
        #expect(show.output.contains("A Brief History of Debian"))
        let timeline = try bench.run("trace", "show", file, "--chrome")
        #expect(try TimelineRules.problems(Data(timeline.output.utf8)) == [])
        #expect(timeline.output.contains("\"overlay Marvin "))
        bench.daemon.detach(bench.device)
        let replay = try bench.json("replay", file, try library().path, "--ignore", "storage.put")
        #expect(replay.status == 0, "\(replay.errors)")
        #expect(replay["result"] as? String == "same")
        #expect(replay["overlay"] as? String == "marvin")
    }

    /// A folder of overlays in which Marvin is rebuilt again and again.
    private func workshop(_ bench: ReaderBench) throws -> (folder: String, build: (Data) throws -> Void) {
        let folder = bench.folder.url.appendingPathComponent("build")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let build = { (content: Data) in
            let new = folder.appendingPathComponent(".new")
            try content.write(to: new)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: new.path)
            guard rename(new.path, folder.appendingPathComponent("libMarvinOverlay.so").path) == 0 else {
                throw POSIXError(.EIO)
            }
        }
        return (folder.path, build)
    }

    @Test("--watch runs a command again with each new build, and Ctrl-C ends it")
    func watch() throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")])
        let (folder, build) = try workshop(bench)
        let good = try Data(contentsOf: library())
        try build(good)
        let program = try bench.start("books", "--app", "Marvin", "--plugins", folder, "--watch")
        func says(_ text: String, times: Int) throws {
            #expect(
                program.prints { program.errors.components(separatedBy: text).count > times },
                "\(program.errors)")
        }
        try says("Waiting for new builds of", times: 1)
        try build(good)
        try says("Now using the new build of Marvin", times: 1)
        try build(Data("no library".utf8))
        try says("Cannot use the new build. ", times: 1)
        try build(good)
        try says("Now using the new build of Marvin", times: 2)
        program.interrupt()
        #expect(program.wait() == 130)
        let listings = program.output.components(separatedBy: "A Brief History of Debian").count - 1
        // The last run may have been interrupted before it printed.
        #expect(listings == 2 || listings == 3, "\(program.output)")
    }

    @Test(
        "A named overlay that cannot be used is reported, never replaced by another one, and a mended build is used"
    )
    func refusedByName() throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")])
        let (folder, build) = try workshop(bench)
        try build(Data("no library".utf8))
        let books = try bench.run("books", "--app", "Marvin", "--plugins", folder)
        #expect(books.status == 69)
        #expect(books.output.isEmpty)
        #expect(books.errors.contains("libMarvinOverlay.so': Cannot use this overlay: "))
        let program = try bench.start("books", "--app", "Marvin", "--plugins", folder, "--watch")
        #expect(program.prints { program.errors.contains("Waiting for new builds of") }, "\(program.errors)")
        try build(Data(contentsOf: library()))
        #expect(
            program.prints { program.output.contains("A Brief History of Debian") }, "\(program.errors)")
        #expect(program.interruptUntilItEnds() == 130)
        try Data("no library".utf8).write(to: URL(fileURLWithPath: folder + "/second.so"))
        let beside = try bench.run("books", "--app", "Marvin", "--plugins", folder)
        #expect(beside.status == 0)
        #expect(beside.errors.contains("second.so': Cannot use this overlay: "))
    }

    @Test(
        "--watch takes a new build while the old one hangs, and shows the overlay's output with --verbose"
    )
    func hanging() throws {
        let bench = try ReaderBench()
        let (folder, build) = try workshop(bench)
        let good = try HangingOverlay.build(bench.folder)
        let hanging = try HangingOverlay.build(bench.folder, ["HANG"])
        try build(hanging)
        let program = try bench.start("books", "--app", "Marvin", "--plugins", folder, "--watch", "-v")
        #expect(program.prints { program.errors.contains("hanging: books has begun") }, "\(program.errors)")
        try build(good)
        #expect(program.prints { program.output.contains("A Book") }, "\(program.errors)")
        for words in [
            "A new build is available; stopping this run.",
            "Waiting for the overlay hanging to list books, at most 10 seconds.\n",
            "The overlay hanging continued for more than 10.0 seconds after its method was cancelled",
            "Now using the new build of Hanging 1.0.0.",
        ] {
            #expect(program.prints { program.errors.contains(words) }, "\(program.errors)")
        }
        #expect(program.interruptUntilItEnds() == 130)
    }

    @Test(
        "--watch takes a new build while the one before it hangs before it serves the device",
        arguments: [("HANG_INITIALIZING", "initialize"), ("HANG_CREATING", "create")])
    func hangingReload(macro: String, method: String) throws {
        let bench = try ReaderBench()
        let (folder, build) = try workshop(bench)
        let good = try HangingOverlay.build(bench.folder)
        let hanging = try HangingOverlay.build(bench.folder, [macro])
        try build(good)
        let program = try bench.start("books", "--app", "Marvin", "--plugins", folder, "--watch", "-v")
        #expect(program.prints { program.errors.contains("Waiting for new builds of") }, "\(program.errors)")
        try build(hanging)
        #expect(
            program.prints { program.errors.contains("hanging: \(method) has begun") }, "\(program.errors)")
        try build(good)
        #expect(
            program.prints { program.errors.contains("Now using the new build of Hanging 1.0.0.") },
            "\(program.errors)")
        #expect(
            program.errors.contains("continued for more than 10.0 seconds after its method was cancelled"),
            "\(program.errors)")
        #expect(program.interruptUntilItEnds() == 130)
    }

    @Test(
        "The end of the process that watches cancels the run, and nothing of it remains",
        arguments: [SIGTERM, SIGKILL])
    func endOfWatch(signal: Int32) throws {
        let bench = try ReaderBench()
        let (folder, build) = try workshop(bench)
        try build(HangingOverlay.build(bench.folder, ["HANG"]))
        let program = try bench.start("books", "--app", "Marvin", "--plugins", folder, "--watch", "-v")
        #expect(program.prints { program.errors.contains("hanging: books has begun") }, "\(program.errors)")
        program.send(signal)
        // The run writes to the same pipes, so this also waits for its end.
        #expect(program.wait() == (signal == SIGTERM ? 130 : 128 + signal), "\(program.errors)")
        #expect(program.errors.contains("Waiting for the overlay hanging to list books"))
    }

    @Test("A second Ctrl-C ends a run under --watch at once")
    func endAtOnce() throws {
        let bench = try ReaderBench()
        let (folder, build) = try workshop(bench)
        try build(HangingOverlay.build(bench.folder, ["HANG"]))
        let program = try bench.start(
            "books", "--app", "Marvin", "--plugins", folder, "--watch", "-v", "--json")
        #expect(program.prints { program.errors.contains("hanging: books has begun") }, "\(program.errors)")
        #expect(program.interruptUntilItEnds() == 130)
        #expect(program.output.isEmpty, "no time to wait was left: \(program.output)")
    }

    @Test("With --watch the simulated device stays from run to run, and other commands can use it")
    func simulated() throws {
        let bench = try ReaderBench()
        let (folder, build) = try workshop(bench)
        let good = try Data(contentsOf: library())
        try build(good)
        let device = "--simulated=" + bench.folder.path("simulated")
        // The first command makes the device, and the others find it.
        let made = try bench.json("devices", device, "--profile", "marvin")
        #expect(made.status == 0, "\(made.errors)")
        let program = try bench.start("books", "--plugins", folder, device, "--watch", "--json")
        #expect(program.prints { program.errors.contains("Waiting for new builds of") }, "\(program.errors)")
        let upload = try bench.json("upload", RealBooks.history("lt").path, device)
        #expect(upload.texts("results", "status") == ["added"], "\(upload.errors)")
        let path = try #require(upload.texts("results", "path").first)
        #expect(!program.output.contains(path))
        try build(good)
        #expect(program.prints { program.output.contains(path) }, "\(program.output) \(program.errors)")
        #expect(program.interruptUntilItEnds() == 130)
    }

    @Test("--watch ends with an error when no overlay is under development")
    func nothingToWatch() throws {
        let run = try ReaderBench().run("overlays", "--watch")
        #expect(run.status == 78)
        #expect(run.errors.contains("development_overlay"), "\(run.errors)")
    }

    @Test("--watch takes a new build while the one before it asks whether to delete, and asks again")
    func asking() throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")])
        let (folder, build) = try workshop(bench)
        let good = try Data(contentsOf: library())
        try build(good)
        let book = try #require(try bench.json("books", "--app", "Marvin").texts("books", "path").first)
        let program = try bench.startAtTerminal("delete '\(book)' --app Marvin --plugins '\(folder)' --watch")
        func asks(times: Int) -> Bool {
            program.prints { program.output.components(separatedBy: "[y/N]").count > times }
        }
        #expect(asks(times: 1), "\(program.output)")
        try build(good)
        #expect(asks(times: 2), "\(program.output)")
        #expect(program.output.contains("A new build is available; stopping this run."))
        program.type("\u{3}")
        #expect(program.wait() == 130, "\(program.output)")
        #expect(try bench.json("books", "--app", "Marvin").rows("books").count == 1)
    }

    @Test(
        "The first Ctrl-C reports what it waits for, on standard error only, and the second ends the command",
        arguments: [
            (false, "at most 10 seconds"),
            (true, "with no time limit, because it runs in this process"),
        ])
    func interrupted(isOwn: Bool, limit: String) throws {
        let bench = try ReaderBench()
        let (folder, build) = try workshop(bench)
        try build(HangingOverlay.build(bench.folder, ["HANG"]))
        let program =
            isOwn
            ? try bench.start("books", "--app", "Marvin", "--plugins", folder, "-v", "--json", "--in-process")
            : try bench.start("books", "--app", "Marvin", "--plugins", folder, "-v", "--json")
        #expect(program.prints { program.errors.contains("books has begun") }, "\(program.errors)")
        program.interrupt()
        let words =
            "Waiting for the overlay hanging to list books, \(limit). Press Ctrl-C again to stop at once.\n"
        #expect(program.prints { program.errors.contains(words) }, "\(program.errors)")
        program.interrupt()
        #expect(program.wait() == 130)
        // The worker's limit of ten seconds may pass before the second Ctrl-C. Here nothing else ends the command.
        if isOwn { #expect(program.output.isEmpty, "no time to wait was left") }
    }

    @Test("A shutdown that hangs after Ctrl-C is not waited for silently")
    func interruptedShutdown() throws {
        let bench = try ReaderBench()
        let (folder, build) = try workshop(bench)
        try build(HangingOverlay.build(bench.folder, ["HANG_SHUTTING_DOWN"]))
        let program = try bench.start("books", "--app", "Marvin", "--plugins", folder, "-v")
        #expect(program.prints { program.errors.contains("hanging: books has begun") }, "\(program.errors)")
        program.interrupt()
        #expect(
            program.prints {
                program.errors.contains("Waiting for the overlay hanging to finish shutdown")
            }, "\(program.errors)")
        program.interrupt()
        #expect(program.wait() == 130)
    }

    @Test("A recording shows the signal with which an overlay in the program itself has crashed, and where")
    func crashInProcess() throws {
        let bench = try ReaderBench()
        let (folder, build) = try workshop(bench)
        try build(HangingOverlay.build(bench.folder, ["CRASH"]))
        let file = bench.folder.path("calls.trace")
        let books = try bench.run(
            "books", "--app", "Marvin", "--plugins", folder, "--trace", file, "--in-process")
        #expect(books.status == 128 + SIGSEGV || books.status == SIGSEGV, "\(books.status)")
        let show = try bench.run("trace", "show", file)
        #expect(show.status == 0)
        #expect(show.output.contains("The host did not return from: books("), "\(show.output)")
        #expect(
            show.output.contains("The program that recorded this crashed with SIGSEGV, an access to memory"),
            "\(show.output)")
    }

    @Test("Ctrl-C ends a replay of an overlay that hangs")
    func interruptedReplay() throws {
        let bench = try ReaderBench()
        let (folder, build) = try workshop(bench)
        try build(HangingOverlay.build(bench.folder))
        let file = bench.folder.path("calls.trace")
        #expect(try bench.run("books", "--app", "Marvin", "--plugins", folder, "--trace", file).status == 0)
        try build(HangingOverlay.build(bench.folder, ["HANG"]))
        let program = try bench.start("replay", file, folder + "/libMarvinOverlay.so", "-v")
        #expect(program.prints { program.errors.contains("hanging: books has begun") }, "\(program.errors)")
        program.interrupt()
        #expect(program.wait() == 130)
        #expect(program.errors.contains("The replay was cancelled."))
    }

    @Test("watch takes new builds as it goes on, and reports each, also one that cannot be used")
    func watchCommand() throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")])
        let (folder, build) = try workshop(bench)
        let good = try Data(contentsOf: library())
        try build(good)
        let program = try bench.start("watch", "--app", "Marvin", "--plugins", folder, "--watch", "--json")
        var seen = 0
        func event() throws -> [String: Any] {
            func lines() -> [String] { Array(program.output.components(separatedBy: "\n").dropLast()) }
            #expect(program.prints { lines().count > seen }, "\(program.errors)")
            let line = try #require(lines().dropFirst(seen).first)
            seen += 1
            return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(try event()["event"] as? String == "attached")
        #expect(try event()["event"] as? String == "online")
        try build(good)
        let taken = try event()
        #expect(taken["event"] as? String == "reloaded")
        #expect(
            (taken["message"] as? String)?.hasPrefix("Now using the new build of Marvin") == true, "\(taken)")
        try build(Data("no library".utf8))
        let refused = try event()
        #expect(refused["event"] as? String == "not-reloaded")
        #expect(
            (refused["message"] as? String)?.contains("keeping the previous one") == true, "\(refused)")
        try build(good)
        #expect(try event()["event"] as? String == "reloaded")
        bench.daemon.detach(bench.device)
        #expect(try event()["event"] as? String == "yanked", "the connection was there all the time")
        #expect(program.interruptUntilItEnds() == 130)
    }
}
