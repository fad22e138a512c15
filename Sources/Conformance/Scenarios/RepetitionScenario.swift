import Glibc
import OverlayABI
import OverlayHost

/// Devices come, are listed, and go, over and over in one instance; what the worker's process holds is measured.
struct RepetitionScenario {
    let bench: CheckBench

    /// Rounds before the first measurement: caches fill, libraries are loaded.
    private static let warmUp = 4
    /// Bytes that the memory may grow by in all, whatever allocators do.
    private static let slack = 6 << 20

    func run() throws(HostError) {
        // In this process everything else is measured, too.
        guard bench.options.worker != nil else { return }
        let trial = try Trial(bench, .repetition)
        defer { trial.end() }
        guard trial.initialize(nil) else { return }
        for _ in 0..<Self.warmUp where !round(trial) { return }
        let pid = bench.workers.latest
        guard let before = Usage(pid) else { return }
        let rounds = bench.options.repetitions
        for _ in 0..<rounds where !round(trial) { return }
        guard let after = Usage(pid) else { return }
        let opened = after.descriptors - before.descriptors
        trial.expect(
            opened * 2 < rounds, RuleCatalog.leakDescriptors,
            "After \(rounds) rounds there are \(opened) more open descriptors.")
        let grown = after.memory - before.memory
        trial.expect(
            grown < Self.slack, RuleCatalog.leakMemory,
            "After \(rounds) rounds the process has \(grown >> 10) KiB more memory, "
                + "\((grown / max(1, rounds)) >> 10) KiB a round.")
    }

    private func round(_ trial: Trial) -> Bool {
        guard trial.attach(nil) else { return false }
        let instance = trial.instance
        if bench.overlay.methods.books != nil {
            guard
                case .success? = trial.attempt(
                    "books", { () throws(HostError) in try instance.books(withCovers: true) })
            else { return false }
        }
        guard case .success? = trial.attempt("eject", { () throws(HostError) in try instance.call(.eject) })
        else { return false }
        trial.cleanUp()
        return trial.goesOn
    }

    /// What a process holds.
    private struct Usage {
        var descriptors: Int
        /// Bytes of its own that lie in memory.
        var memory: Int

        init?(_ pid: Int32) {
            guard let folder = opendir("/proc/\(pid)/fd") else { return nil }
            defer { closedir(folder) }
            descriptors = 0
            while readdir(folder) != nil { descriptors += 1 }
            guard let file = fopen("/proc/\(pid)/statm", "re") else { return nil }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 256)
            guard fgets(&line, Int32(line.count), file) != nil else { return nil }
            let numbers = String(
                decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self
            )
            .split(separator: " ").compactMap { Int($0) }
            guard numbers.count > 2 else { return nil }
            memory = (numbers[1] - numbers[2]) * Int(sysconf(Int32(_SC_PAGESIZE)))
        }
    }
}
