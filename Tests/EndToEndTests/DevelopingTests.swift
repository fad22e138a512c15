import Foundation
import TestSupport
import Testing

@Suite("Developing an overlay from the command line")
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
        bench.daemon.detach(bench.device)
        let replay = try bench.json("replay", file, try library().path, "--ignore", "storage.put")
        #expect(replay.status == 0, "\(replay.errors)")
        #expect(replay["result"] as? String == "same")
        #expect(replay["overlay"] as? String == "marvin")
    }

    @Test("--watch runs a verb again with each new build, in the same session, and Ctrl-C ends it")
    func watch() throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")])
        let folder = bench.folder.url.appendingPathComponent("build")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let overlay = folder.appendingPathComponent("libMarvinOverlay.so")
        func build(_ content: Data) throws {
            let new = folder.appendingPathComponent(".new")
            try content.write(to: new)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: new.path)
            guard rename(new.path, overlay.path) == 0 else { throw POSIXError(.EIO) }
        }
        let good = try Data(contentsOf: library())
        try build(good)
        let program = try bench.start(
            "books", "--app", "Marvin", "--plugins", folder.path, "--watch")
        func says(_ text: String, times: Int) throws {
            #expect(
                program.prints { program.errors.components(separatedBy: text).count > times },
                "\(program.errors)")
        }
        try says("Waiting for new builds of", times: 1)
        try build(good)
        try says("The new build of Marvin", times: 1)
        try build(Data("no library".utf8))
        try says("The new build is not used, and the one before it goes on.", times: 1)
        try build(good)
        try says("The new build of Marvin", times: 2)
        #expect(program.interruptUntilItEnds() == 130)
        let listings = program.output.components(separatedBy: "A Brief History of Debian").count - 1
        // The last run may have been interrupted before it printed.
        #expect(listings == 2 || listings == 3, "\(program.output)")
    }
}
