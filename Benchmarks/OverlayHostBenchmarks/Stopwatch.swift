import CLibimobiledevice
import Glibc

/// Measures the time of work.
enum Stopwatch {
    /// Seconds that `work` took.
    static func seconds<Failure: Error>(_ work: () throws(Failure) -> Void) throws(Failure) -> Double {
        let start = ContinuousClock.now
        try work()
        let duration = start.duration(to: .now)
        return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    /// Processor seconds of this thread for `work`, which other programs do not affect.
    static func processorSeconds<Failure: Error>(_ work: () throws(Failure) -> Void) throws(Failure) -> Double
    {
        let start = threadSeconds
        try work()
        return threadSeconds - start
    }

    /// Processor seconds of this thread for each way. The ways take turns, so that other load on the machine affects
    /// all of them equally.
    static func rounds<Failure: Error>(
        _ count: Int, _ ways: [() throws(Failure) -> Void]
    ) throws(Failure) -> [Samples] {
        var samples = ways.map { _ in Samples() }
        for _ in 0..<count {
            for (place, way) in ways.enumerated() { samples[place].values.append(try processorSeconds(way)) }
        }
        return samples
    }

    private static var threadSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Several measurements of the same work.
struct Samples {
    var values: [Double] = []

    var minimum: Double { values.min() ?? 0 }
    var median: Double { values.isEmpty ? 0 : values.sorted()[values.count / 2] }
}
