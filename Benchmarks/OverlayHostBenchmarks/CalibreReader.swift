import Foundation

/// calibre's metadata reader, which `ebook-meta` calls, run on many files in one process.
struct CalibreReader {
    private static let script = """
        import os, sys
        from calibre.ebooks.metadata.meta import get_metadata
        rounds, paths = int(sys.argv[-1]), sys.stdin.read().split('\\n')
        for number in range(rounds):
            start = sum(os.times()[:4])
            for path in paths:
                with open(path, 'rb') as stream:
                    assert get_metadata(stream, path.rsplit('.', 1)[1]).title
            print('seconds', sum(os.times()[:4]) - start)
        """

    /// The program that runs calibre's Python.
    private let program: String

    /// Nil if calibre is not installed.
    init?() {
        guard let program = ProgramRun.installed("calibre-debug") else { return nil }
        self.program = program
    }

    /// Processor seconds for reading all files, for each round, including child processes.
    func seconds(_ paths: [String], rounds: Int) throws -> Samples {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["-c", Self.script, "--", "\(rounds)"]
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(paths.joined(separator: "\n").utf8))
        try input.fileHandleForWriting.close()
        let answer = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let words = String(decoding: answer, as: UTF8.self).split(separator: "\n").filter {
            $0.hasPrefix("seconds ")
        }
        let values = words.compactMap { Double($0.dropFirst("seconds ".count)) }
        guard process.terminationStatus == 0, values.count == rounds else {
            throw BenchmarkFailure("calibre-debug ended with \(process.terminationStatus)")
        }
        return Samples(values: values)
    }
}
