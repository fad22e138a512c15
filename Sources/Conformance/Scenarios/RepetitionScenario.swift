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
        guard trial.initialize(.ignored) else { return }
        for _ in 0..<Self.warmUp where !round(trial) { return }
        guard var usage = GrowingUsage(bench) else { return }
        while round(trial), let measured = usage.measure() {
            if let descriptors = measured.descriptors {
                trial.expect(
                    !descriptors.isLeak, RuleCatalog.leakDescriptors,
                    "After \(descriptors.rounds) rounds there are \(descriptors.growth) more open descriptors."
                )
            }
            guard measured.memory == .open else {
                return judge(trial, RuleCatalog.leakMemory, measured.memory, usage.memory, "rounds")
            }
        }
    }

    /// Creates and destroys instances in one process.
    private func instances() throws(HostError) {
        var usage: GrowingUsage?
        var number = 0
        while true {
            let trial = try Trial(bench, .repetition)
            guard trial.initialize(.ignored), trial.attach(.ignored), list(trial) else { return trial.end() }
            trial.end()
            number += 1
            guard number > Self.warmUp else {
                if number == Self.warmUp { usage = GrowingUsage(bench) }
                continue
            }
            guard let measured = usage?.measure(), let memory = usage?.memory else { return }
            if let descriptors = measured.descriptors, descriptors.isLeak {
                return trial.expect(
                    false, RuleCatalog.leakInstance,
                    "After \(descriptors.rounds) instances there are \(descriptors.growth) more open descriptors."
                )
            }
            guard measured.memory == .open else {
                return judge(trial, RuleCatalog.leakInstance, measured.memory, memory, "instances")
            }
        }
    }

    /// Records what the memory shows.
    private func judge(
        _ trial: Trial, _ rule: ConformanceRule, _ verdict: MemoryGrowth.Verdict, _ memory: MemoryGrowth,
        _ what: String
    ) {
        let kibibytes = memory.growth >> 10
        switch verdict {
        case .open: return
        case .steady: trial.tries(rule)
        case .settled:
            bench.observations.leavesOpen(
                rule,
                "The memory of the process grew, and stopped growing within \(memory.rounds) \(what), as it does "
                    + "with a garbage collector.")
        case .leaking:
            trial.expect(
                false, rule,
                "After \(memory.rounds) \(what) the process has \(kibibytes) KiB more memory, "
                    + "\(kibibytes / memory.rounds) KiB each time.")
        }
    }

    private func round(_ trial: Trial) -> Bool {
        guard trial.attach(.ignored) else { return false }
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

    /// The growth of the resources of a worker's process.
    private struct GrowingUsage {
        private let bench: CheckEnvironment
        private let first: Usage
        private(set) var memory: MemoryGrowth

        /// The growth from now on; nil if the process cannot be measured.
        init?(_ bench: CheckEnvironment) {
            guard let first = Usage(bench.workers.latest) else { return nil }
            (self.bench, self.first) = (bench, first)
            memory = MemoryGrowth(from: first.memory, block: bench.options.repetitions)
        }

        /// What a round shows.
        struct Measurement {
            /// What is known of the memory.
            var memory: MemoryGrowth.Verdict
            /// The growth of the open descriptors; nil except after the first block of rounds.
            var descriptors: (growth: Int, rounds: Int, isLeak: Bool)?
        }

        /// Measures after a round; nil if another process runs now.
        mutating func measure() -> Measurement? {
            guard let now = Usage(bench.workers.latest), now.pid == first.pid else { return nil }
            var measured = Measurement(memory: memory.add(now.memory))
            if memory.rounds == memory.block {
                let growth = now.descriptors - first.descriptors
                measured.descriptors = (growth, memory.rounds, growth * 2 >= memory.rounds)
            }
            return measured
        }
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
    }
}
