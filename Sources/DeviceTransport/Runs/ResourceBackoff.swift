/// The backoff of a run while the device lacks resources: fewer jobs at a time, and pauses if there is only one.
struct ResourceBackoff {
    /// How long the device may lack resources for a single job before that job fails.
    static let patience = Duration.seconds(10)
    /// How long it may lack resources for one job after the other.
    static let patienceForAll = patience * 3
    private static let firstPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(1)

    /// The number of jobs that may run at once; nil until the device has refused one.
    private(set) var mostJobs: Int?
    /// The time when the next job may begin; nil if it may begin at once.
    private(set) var resumes: ContinuousClock.Instant?
    /// The time since which the device has lacked resources for the single job.
    private var since: ContinuousClock.Instant?
    /// The time since which the device has not carried out any job, even if several have failed in the meantime.
    private var sinceForAll: ContinuousClock.Instant?
    private var pause = firstPause
    /// The number of jobs carried out since the last refusal or change of `mostJobs`.
    private var carriedOut = 0

    /// Whether a job may begin while this many others are running.
    func admits(others: @autoclosure () -> Int, at now: ContinuousClock.Instant = .now) -> Bool {
        guard let mostJobs else { return true }
        return others() < mostJobs && resumes.map { $0 <= now } ?? true
    }

    /// The end of the pause, if it is after `now`.
    func pauseEnd(after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        resumes.flatMap { $0 > now ? $0 : nil }
    }

    /// Records that a job has begun.
    mutating func begin() { resumes = nil }

    /// Records that a job was refused while this many others were running. Returns whether to try it again. If not,
    /// the next job gets its own wait.
    mutating func refuse(others: Int, at now: ContinuousClock.Instant = .now) -> Bool {
        mostJobs = max(1, min(mostJobs ?? .max, others))
        carriedOut = 0
        guard others == 0 else { return true }
        let since = self.since ?? now
        let sinceForAll = self.sinceForAll ?? now
        (self.since, self.sinceForAll) = (since, sinceForAll)
        guard since.duration(to: now) < Self.patience, sinceForAll.duration(to: now) < Self.patienceForAll
        else {
            (self.since, pause) = (nil, Self.firstPause)
            return false
        }
        resumes = now.advanced(by: pause)
        pause = min(pause * 2, Self.longestPause)
        return true
    }

    /// Records that a job was carried out. After as many jobs as may run at once, one more is allowed, because other
    /// programs may have closed files.
    mutating func carryOut() {
        guard let mostJobs else { return }
        (since, sinceForAll, pause) = (nil, nil, Self.firstPause)
        carriedOut += 1
        guard carriedOut >= mostJobs else { return }
        (self.mostJobs, carriedOut) = (mostJobs + 1, 0)
    }
}
