import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Two programs on one Marvin lose nothing")
struct TwoHostsTests {
    @Test("Two uploads at once both succeed, one after the other")
    func uploads() throws {
        let bench = try ReaderBench()
        let marvin = try #require(bench.device.marvin(ReaderBench.marvin))
        marvin.behaviour = try #require(MarvinBehaviour(named: "slow"))
        let books = try ["de", "en", "fr", "ja"].map { try RealBooks.history($0).path }
        let programs = [
            try bench.start("upload", books[0], books[1], "--json"),
            try bench.start("upload", books[2], books[3], books[0], "--json"),
        ]
        for program in programs {
            #expect(program.wait() == 0, "\(program.output) \(program.errors)")
            #expect(!program.output.contains("failed"), "\(program.output)")
        }
        // The book that both send exists once, because the second program finds it.
        #expect(try bench.json("books").rows("books").count == 4)
        #expect(try bench.staged().isEmpty)
    }

    @Test("A deletion of one program and an upload of another are both carried out")
    func mixed() throws {
        let bench = try ReaderBench(books: [RealBooks.history("de"), RealBooks.history("en")])
        let path = try #require(try bench.json("books").texts("books", "path").first)
        let upload = try bench.start("upload", RealBooks.history("fr").path, "--json")
        let delete = try bench.start("delete", path, "--yes", "--json")
        #expect(upload.wait() == 0, "\(upload.errors)")
        #expect(delete.wait() == 0, "\(delete.errors)")
        let paths = try bench.json("books").texts("books", "path")
        #expect(paths.count == 2)
        #expect(!paths.contains(path))
        #expect(try bench.staged().isEmpty)
    }
}
