import Glibc
import OverlayABI
import OverlayHost
import Platform

/// Devices are attached, listed and detached many times, first in one instance and then in new instances, while the
/// resources of the worker's process are measured.
struct RepetitionScenario {
    let bench: CheckEnvironment

    /// Rounds before the first measurement, in which caches fill and libraries are loaded.
    private static let warmUp = 4
    /// How many bytes the memory may grow in total, because allocators may keep freed memory.
    private static let slack = 6 << 20

    func run() throws(HostError) {
        // In this process the measurement would include everything else.
        guard bench.options.worker != nil else { return }
        try devices()
        try instances()
    }

    /// Attaches and detaches devices.
    private func devices() throws(HostError) {
        let trial = try Trial(bench, .repetition)
        defer { trial.end() }
        guard trial.initialize(nil) else { return }
        for _ in 0..<Self.warmUp where !round(trial) { return }
        guard let before = Usage(bench.workers.latest) else { return }
        let rounds = bench.options.repetitions
        for _ in 0..<rounds where !round(trial) { return }
        guard let growth = Usage(bench.workers.latest)?.since(before) else { return }
        trial.expect(
            growth.descriptors * 2 < rounds, RuleCatalog.leakDescriptors,
            "After \(rounds) rounds there are \(growth.descriptors) more open descriptors.")
        trial.expect(
            growth.memory < Self.slack, RuleCatalog.leakMemory,
            "After \(rounds) rounds the process has \(growth.memory >> 10) KiB more memory, "
                + "\((growth.memory / max(1, rounds)) >> 10) KiB a round.")
    }

    /// Creates and destroys instances in one process.
    private func instances() throws(HostError) {
        var before: Usage?
        let rounds = bench.options.repetitions
        for number in 1...Self.warmUp + rounds {
            let trial = try Trial(bench, .repetition)
            guard trial.initialize(nil), trial.attach(nil), list(trial) else { return trial.end() }
            trial.end()
            if number == Self.warmUp { before = Usage(bench.workers.latest) }
            guard number == Self.warmUp + rounds, let before else { continue }
            guard let growth = Usage(bench.workers.latest)?.since(before) else { return }
            trial.expect(
                growth.descriptors * 2 < rounds && growth.memory < Self.slack, RuleCatalog.leakInstance,
                "After \(rounds) instances the process has \(growth.descriptors) more open descriptors and "
                    + "\(growth.memory >> 10) KiB more memory.")
        }
    }

    private func round(_ trial: Trial) -> Bool {
        guard trial.attach(nil) else { return false }
        let instance = trial.instance
        guard list(trial),
            case .success? = trial.attempt("eject", { () throws(HostError) in try instance.call(.eject) })
        else { return false }
        trial.cleanUp()
        return trial.goesOn
    }

    private func list(_ trial: Trial) -> Bool {
        guard bench.overlay.methods.books != nil else { return true }
        let books = trial.attempt("books") { () throws(HostError) in
            try trial.instance.books(withCovers: true)
        }
        if case .success? = books { return true }
        return false
    }

    /// The resources of a process.
    private struct Usage {
        let pid: Int32
        var descriptors: Int
        /// The private resident memory in bytes.
        var memory: Int

        init?(_ pid: Int32) {
            self.pid = pid
            var count = 0
            let code = FolderListing.each("/proc/\(pid)/fd") { _ in
                count += 1
                return true
            }
            guard code == 0 else { return nil }
            descriptors = count
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

        /// The growth since an earlier measurement; nil if that was of another process.
        func since(_ before: Usage) -> (descriptors: Int, memory: Int)? {
            guard pid == before.pid else { return nil }
            return (descriptors - before.descriptors, memory - before.memory)
        }
    }
}
