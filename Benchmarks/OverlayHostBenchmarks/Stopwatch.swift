import Glibc

/// Takes the time of pieces of work.
enum Stopwatch {
    /// Seconds that `work` took.
    static func seconds<Failure: Error>(_ work: () throws(Failure) -> Void) throws(Failure) -> Double {
        let start = ContinuousClock.now
        try work()
        let duration = start.duration(to: .now)
        return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    /// Seconds of this thread's processor that `work` took: what other programs take meanwhile is not among them.
    static func processorSeconds<Failure: Error>(_ work: () throws(Failure) -> Void) throws(Failure) -> Double
    {
        let start = threadSeconds
        try work()
        return threadSeconds - start
    }

    /// Seconds of this thread's processor that each way took, in turns, so that whatever else the machine does meets all of them
    /// alike.
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

/// Several measurements of one thing.
struct Samples {
    var values: [Double] = []

    var minimum: Double { values.min() ?? 0 }
    var median: Double { values.isEmpty ? 0 : values.sorted()[values.count / 2] }
}
