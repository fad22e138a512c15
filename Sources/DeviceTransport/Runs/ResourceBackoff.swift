/// The backoff of a run while the device has no resources left: fewer jobs at a time, and pauses when there is only one.
struct ResourceBackoff {
    /// How long the device may have no resources for a single job, until that job is given up.
    static let patience = Duration.seconds(10)
    /// How long it may have none for one job after the other.
    static let patienceForAll = patience * 3
    private static let firstPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(1)

    /// Jobs that may be under way at once; nil until the device has refused one.
    private(set) var mostJobs: Int?
    /// When the next job may begin; nil when it may begin at once.
    private(set) var resumes: ContinuousClock.Instant?
    /// Since when the device has had no resources for the single job.
    private var since: ContinuousClock.Instant?
    /// Since when the device has not carried out any job, even if several were given up meanwhile.
    private var sinceForAll: ContinuousClock.Instant?
    private var pause = firstPause
    /// Jobs carried out since the last refusal or change of `mostJobs`.
    private var carriedOut = 0

    /// Whether a job may begin while so many others are under way.
    func admits(others: @autoclosure () -> Int, at now: ContinuousClock.Instant = .now) -> Bool {
        guard let mostJobs else { return true }
        return others() < mostJobs && resumes.map { $0 <= now } ?? true
    }

    /// The end of the pause, if it is after `now`.
    func pauseEnd(after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        resumes.flatMap { $0 > now ? $0 : nil }
    }

    /// Notes that a job has begun.
    mutating func begin() { resumes = nil }

    /// Notes that a job was refused while so many others were under way. Returns whether to try it again; if
    /// not, the next job gets a wait of its own.
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

    /// Notes that a job was carried out. After as many as may be under way, one more is allowed, because
    /// other programs may have closed files.
    mutating func carryOut() {
        guard let mostJobs else { return }
        (since, sinceForAll, pause) = (nil, nil, Self.firstPause)
        carriedOut += 1
        guard carriedOut >= mostJobs else { return }
        (self.mostJobs, carriedOut) = (mostJobs + 1, 0)
    }
}
