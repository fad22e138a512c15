import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Work on books in folders takes a fixed number of requests for each book")
struct RequestsPerBookTests {
    /// Different documents, each larger than the parts that are read at its ends.
    private func documents(_ numbers: Range<Int>, in folder: URL) throws -> [String] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try numbers.map { number in
            let file = folder.appendingPathComponent("paper \(number).pdf")
            try SimulatedPDF(title: "Paper \(number)", author: "Somebody", size: 200_000 + number).write(
                to: file)
            return file.path
        }
    }

    /// Of ten books, this many files may stay open until the connection ends.
    private let leftOpen = 10

    /// The file requests of a command, which must succeed.
    private func requests(_ bench: ReaderBench, _ arguments: [String]) throws -> Int {
        bench.device.resetCounters()
        let answer = try bench.json(arguments)
        #expect(answer.status == 0, "\(answer.errors)")
        return bench.device.counters.total(of: "afc")
    }

    @Test("Adding takes five requests for each book: open, write, close, look, rename")
    func upload() throws {
        let bench = try ReaderBench.paperback()
        let folder = bench.folder.url.appendingPathComponent("papers")
        let few = try requests(bench, ["upload"] + documents(0..<10, in: folder))
        let many = try requests(bench, ["upload"] + documents(10..<40, in: folder))
        // Ten more books on the device are ten more entries in the walk.
        #expect(many - few <= 5 * 20 + 10, "\(few) for 10, \(many) for 30")
        // A sent book is known without reading it.
        let again = try requests(bench, ["upload"] + documents(10..<40, in: folder))
        #expect(again <= few, "\(again) to see that 30 are there")
    }

    @Test("A first listing opens each book once")
    func listing() throws {
        func requests(_ count: Int) throws -> Int {
            let bench = try ReaderBench.paperback()
            _ = try documents(0..<count, in: SimulatedReader(device: bench.device).documents)
            return try self.requests(bench, ["books"])
        }
        let (few, many) = (try requests(10), try requests(40))
        #expect(many - few <= 8 * 30, "\(few) for 10, \(many) for 40")
    }

    @Test("Fetching by path lists nothing, and reads each book once")
    func get() throws {
        let bench = try ReaderBench.paperback()
        _ = try documents(0..<40, in: SimulatedReader(device: bench.device).documents)
        func fetch(_ numbers: Range<Int>) throws -> Int {
            let target = bench.folder.path("fetched")
            let count = try requests(bench, ["get"] + numbers.map { "paper \($0).pdf" } + ["-o", target])
            for number in numbers {
                #expect(FileManager.default.fileExists(atPath: target + "/Paper \(number).pdf"))
            }
            return count
        }
        let (few, many) = (try fetch(0..<10), try fetch(10..<40))
        #expect(many - few <= 4 * 20 + leftOpen, "\(few) for 10, \(many) for 30")
        #expect(few < 10 * 4 + 10, "\(few) for 10")
        _ = try requests(bench, ["books"])
        #expect(try fetch(0..<1) < 10)
    }

    @Test("A first backup takes four requests for each book: look, open, read, close")
    func backup() throws {
        func requests(_ count: Int) throws -> Int {
            let bench = try ReaderBench.paperback()
            let folder = SimulatedReader(device: bench.device).documents
            for number in 0..<count {
                let cover = Data(BooksBench.cover + [UInt8(number)])
                try SyncSource.book(title: "Book \(number)", author: "Ann", words: "one", cover: cover)
                    .write(to: folder.appendingPathComponent("\(number).epub"))
            }
            let target = bench.folder.path("backup")
            let requests = try self.requests(bench, ["backup", target])
            let names = try FileManager.default.subpathsOfDirectory(atPath: target)
            let covers = names.filter { $0.contains("/Ann/") && $0.hasSuffix("/cover.jpg") }
            #expect(covers.count == count)
            for name in covers {
                let number = try #require(
                    name.split(separator: "/").dropLast().last?.split(separator: " ").last)
                let cover = FileManager.default.contents(atPath: target + "/" + name)
                #expect(cover == Data(BooksBench.cover + [try #require(UInt8(number))]))
            }
            return requests
        }
        let (few, many) = (try requests(10), try requests(40))
        #expect(many - few <= 4 * 30 + leftOpen, "\(few) for 10, \(many) for 40")
    }

    @Test("A backup of books that were listed takes four requests for each book as well")
    func listedBackup() throws {
        func requests(_ count: Int) throws -> Int {
            let bench = try ReaderBench.paperback()
            _ = try documents(0..<count, in: SimulatedReader(device: bench.device).documents)
            _ = try self.requests(bench, ["books"])
            return try self.requests(bench, ["backup", bench.folder.path("backup")])
        }
        let (few, many) = (try requests(10), try requests(40))
        #expect(many - few <= 4 * 30 + leftOpen, "\(few) for 10, \(many) for 40")
    }

    @Test("Books in the backup are not copied only to be listed again")
    func lostCache() throws {
        let bench = try ReaderBench.paperback()
        _ = try documents(0..<20, in: SimulatedReader(device: bench.device).documents)
        let target = bench.folder.path("backup")
        _ = try requests(bench, ["backup", target])
        #expect(bench.device.counters.bytesSent > 20 * 200_000)
        try FileManager.default.removeItem(atPath: bench.folder.path("cache"))
        _ = try requests(bench, ["backup", target])
        #expect(bench.device.counters.bytesSent < 20 * 120_000)
    }
}
