import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("A worker that is a copy of its host has none of its secrets")
struct StandbyWorkerTests {
    @Test("Neither the environment nor the command line of the host is in the memory of a worker")
    func forgetsWords() throws {
        let bench = try ReaderBench()
        let (_, staged) = try bench.neverAnsweringMarvin()
        // Stores the descriptions of the overlays, so that only one of them needs a worker.
        #expect(try bench.run("overlays").status == 0)
        let secret = "secret-\(UUID().uuidString)"
        let place = "place-\(UUID().uuidString)"
        let book = bench.folder.url.appendingPathComponent(place).appendingPathComponent("book.epub")
        try FileManager.default.createDirectory(
            at: book.deletingLastPathComponent(), withIntermediateDirectories: false)
        try FileManager.default.copyItem(at: try RealBooks.history("lt"), to: book)
        let program = try bench.start(
            "upload", book.path, "--app", ReaderBench.marvin,
            environment: ["OVERLAYHOST_TEST_SECRET": secret])
        #expect(staged.wait())
        let workers = try RunningProgram.children(of: program.identifier)
        #expect(try workers.map { try Self.file($0, "comm") } == ["overlay-worker\n"])
        for worker in workers {
            // A worker that was started as a program would have arguments.
            #expect(try Self.file(worker, "cmdline").allSatisfy { $0 == "\0" })
            #expect(try Self.file(worker, "environ").allSatisfy { $0 == "\0" })
            for text in [secret, place] { #expect(try Self.places(of: text, in: worker) == 0) }
        }
        for text in [secret, place] { #expect(try Self.places(of: text, in: program.identifier) > 0) }
        program.send(SIGTERM)
        #expect(program.wait() != 0)
    }

    /// The complete content of a kernel file, whose size is 0.
    private static func file(_ process: Int32, _ name: String) throws -> String {
        let file = open("/proc/\(process)/\(name)", O_RDONLY | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        var (bytes, piece) = ([UInt8](), [UInt8](repeating: 0, count: 64 << 10))
        while true {
            let count = read(file, &piece, piece.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += piece[..<count]
        }
    }

    /// How often a text occurs in the readable private memory of a process.
    private static func places(of text: String, in process: Int32) throws -> Int {
        let memory = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        try #require(memory >= 0)
        defer { close(memory) }
        let wanted = Data(text.utf8)
        var count = 0
        for line in try file(process, "maps").split(separator: "\n") {
            let words = line.split(separator: " ")
            let bounds = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            guard words[1].hasPrefix("rw"), bounds.count == 2, bounds[1] - bounds[0] <= 64 << 20 else {
                continue
            }
            var bytes = Data(count: bounds[1] - bounds[0])
            let size = bytes.withUnsafeMutableBytes { pread(memory, $0.baseAddress, $0.count, bounds[0]) }
            #expect(size > 0, "\(line)")
            var rest = bytes.startIndex..<bytes.endIndex
            while let found = bytes.range(of: wanted, in: rest) {
                count += 1
                rest = found.upperBound..<bytes.endIndex
            }
        }
        return count
    }
}
