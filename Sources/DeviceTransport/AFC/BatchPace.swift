/// How fast a batch goes, to tell whether further connections are worth their opening.
struct BatchPace {
    /// What opening several connections may cost, together with the signatures of their handshakes.
    private static let opening = Duration.milliseconds(50)
    /// Before this nothing can be said.
    private static let trial = Duration.milliseconds(20)
    /// A connection that answers faster waits for the cable or for a processor, which it would share with the others.
    private static let slowAnswer = Duration.microseconds(600)

    private let jobs: Int
    private let start = ContinuousClock.now
    /// Whether its time goes into its requests rather than into their bytes.
    let isSmall: Bool
    /// Requests sent so far.
    var requests = 0

    init(_ jobs: [AFCJob]) {
        self.jobs = jobs.count
        isSmall = jobs.allSatisfy(\.isSmall)
    }

    /// Whether the device takes its time over small jobs and, at the pace so far, will for so long that further
    /// connections pay; `owed` requests are not answered yet.
    func isSlow(left: Int, owed: Int, connections: Int) -> Bool {
        guard isSmall, left >= 32 else { return false }
        let spent = start.duration(to: .now)
        let (done, answered) = (max(jobs - left, 1), max(requests - owed, 1))
        return spent >= Self.trial && spent * connections >= Self.slowAnswer * answered
            && spent * left >= Self.opening * done
    }
}
