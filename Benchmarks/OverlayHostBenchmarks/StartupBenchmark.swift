import Foundation

/// From the start of the process to the first line of `overlayhost overlays`.
struct StartupBenchmark {
    let runs: Int

    func run() throws {
        let program = try ProgramRun.sibling("overlayhost")
        let times = try (0..<runs).map { _ in try firstLine(program) }.sorted()
        var table = BenchmarkTable(
            "First line of `overlayhost overlays`", ["runs", "minimum ms", "median ms", "maximum ms"])
        table.add(
            ["\(runs)"]
                + [times[0], times[times.count / 2], times[times.count - 1]].map {
                    BenchmarkTable.number($0 * 1000, 1)
                })
        table.print()
    }

    private func firstLine(_ program: String) throws -> Double {
        var pipes: [Int32] = [0, 0]
        guard pipe(&pipes) == 0 else { throw BenchmarkFailure("no pipe") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO)
        posix_spawn_file_actions_addclose(&actions, pipes[0])
        let arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup("overlays"), nil]
        defer { arguments.forEach { free($0) } }
        var process = pid_t()
        let seconds = try Stopwatch.seconds {
            guard posix_spawn(&process, program, &actions, nil, arguments, environ) == 0 else {
                throw BenchmarkFailure("\(program) cannot be run")
            }
            close(pipes[1])
            var byte: UInt8 = 0
            guard read(pipes[0], &byte, 1) == 1 else { throw BenchmarkFailure("\(program) printed nothing") }
        }
        // Read the rest, so that the process can end.
        var rest = [UInt8](repeating: 0, count: 4096)
        while read(pipes[0], &rest, rest.count) > 0 {}
        close(pipes[0])
        var status: Int32 = 0
        waitpid(process, &status, 0)
        return seconds
    }
}
