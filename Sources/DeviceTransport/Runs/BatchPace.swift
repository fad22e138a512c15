import Glibc

/// How fast a batch goes, to tell whether further connections are worth their opening.
struct BatchPace {
    /// What opening a connection costs, and what small batches have cost before this one on the connections there are.
    struct Past {
        var opening: Duration
        var spent = Duration.zero
    }

    /// What opening several connections may cost, together with the signatures of their handshakes.
    private static let openingOfMany = Duration.milliseconds(50)
    /// So many openings must be spared by one.
    private static let several = 4
    /// Before this nothing can be said.
    private static let trial = Duration.milliseconds(20)
    /// How long the processors are looked at for a judgement.
    private static let window = Duration.milliseconds(100)
    /// After this a batch gets connections although the processors are busy.
    private static let patience = Duration.seconds(2)
    /// A connection that answers faster waits for the cable or for a processor, which it would share with the others.
    private static let slowAnswer = Duration.microseconds(600)

    private let jobs: Int
    private let past: Past
    private let processors: Int
    private var start = ContinuousClock.now
    /// What the program had used when it was looked at last, and whether it was busy then.
    private var seen = Use.now
    private var wasBusy: Bool?
    /// Whether its time goes into its requests rather than into their bytes.
    let isSmall: Bool
    /// Requests sent so far.
    var requests = 0

    init(jobs: Int, isSmall: Bool, processors: Int, after past: Past) {
        self.processors = processors
        self.jobs = jobs
        self.isSmall = isSmall
        self.past = past
    }

    /// What it has taken so far.
    var spent: Duration { start.duration(to: .now) }

    /// Whether connections beside the first pay.
    ///
    /// Large contents are worth them at once. Small requests are when several times what an opening takes has gone into them, here
    /// and just before, since nothing tells what follows; or when the rest would take that at the pace so far. They do not where
    /// the processors have nothing left for them.
    mutating func paysToGrow(left: Int, owed: Int) -> Bool {
        guard isSmall else { return true }
        let (spent, worth) = (spent, past.opening * Self.several)
        let done = jobs - left
        guard past.spent + spent >= worth || (done >= 4 && spent * left >= worth * done) else { return false }
        return (spent >= Self.trial || isFast(owed: owed)) && !isStarved(owed: owed)
    }

    /// Whether this program keeps the processors so busy that they have no use for more answers at a time, as many devices do: where
    /// half of them is used, twice the answers is the most they can take, and openings have their price, too. Where answers
    /// come fast a connection is bound by a thread at each end rather than by all processors. A batch that lasts gets its
    /// connections all the same.
    private mutating func isStarved(owed: Int) -> Bool {
        let now = Use.now
        let used = (now.processors - seen.processors) * 10
        let elapsed = seen.time.duration(to: now.time)
        let isBusy = used >= elapsed * processors * (isFast(owed: owed) ? 9 : 5)
        let isStarved = elapsed < Self.trial ? wasBusy ?? isBusy : isBusy
        if elapsed >= Self.window { (seen, wasBusy) = (now, isBusy) }
        return isStarved && spent < Self.patience
    }

    /// What the program has used of all processors until a moment.
    private struct Use {
        var time = ContinuousClock.now
        var processors: Duration

        static var now: Use {
            var time = timespec()
            // It fails for no clock that exists.
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return Use(processors: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
        }
    }

    /// Begins to count: the first connection is there.
    mutating func begin() {
        start = .now
        (seen, wasBusy) = (Use.now, nil)
    }

    /// Whether answers come so fast that more requests may be under way on a connection.
    func isFast(owed: Int) -> Bool {
        let answered = requests - owed
        return answered >= 8 && spent < Self.slowAnswer * answered
    }

    /// Whether the device takes its time over small jobs and, at the pace so far, will for so long that further
    /// connections pay; `owed` requests are not answered yet.
    mutating func isSlow(left: Int, owed: Int, connections: Int) -> Bool {
        guard isSmall, left >= 32 else { return false }
        let spent = spent
        let (done, answered) = (max(jobs - left, 1), max(requests - owed, 1))
        return spent >= Self.trial && spent * connections >= Self.slowAnswer * answered
            && spent * left >= max(Self.openingOfMany, past.opening * Self.several) * done
            && !isStarved(owed: owed)
    }
}
