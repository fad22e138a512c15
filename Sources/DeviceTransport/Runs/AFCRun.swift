import Glibc

/// Drives jobs to their ends on the calling thread, over as many of a pool's connections as they are worth.
///
/// With much to encrypt on several connections encryption threads help with that; jobs notice nothing of it.
final class AFCRun {
    /// A connection in use, and the jobs on it. A job stays on its connection, because file handles belong to it.
    struct Lane {
        let channel: AFCChannel
        var jobs: [AFCJob] = []
        /// Whether the connection is with the encryption threads; nothing but its place in the list may be used then.
        var isAway = false
        /// Takes no more jobs, because another operation waits for the connection.
        var isEnding = false
    }

    let pool: ChannelPool
    let session: DeviceSession
    let context: OperationContext
    let meter: ProgressMeter
    private let finished: (AFCJob) -> Void
    private let wakeUp = WakeUpDescriptor()
    private let encryptionThreads: EncryptionThreads
    var queue: [AFCJob]
    var lanes: [Lane] = []
    private var unfinished: Int
    private let worth: Int
    private var pace: BatchPace
    private var backoff = ResourceBackoff()
    /// Whether there has been a connection.
    private var hasBegun = false
    /// Whether it is worth more connections than one.
    private var isBroad: Bool
    /// Whether it is worth more connections than a root has by right.
    private var isWide = false

    /// Prepares a run; `finished` hears of each job on the calling thread.
    init(
        _ jobs: [AFCJob], _ pool: ChannelPool, _ session: DeviceSession, _ context: OperationContext,
        _ meter: ProgressMeter, finished: @escaping (AFCJob) -> Void
    ) {
        self.pool = pool
        self.session = session
        self.context = context
        self.meter = meter
        self.finished = finished
        queue = jobs.reversed()
        unfinished = jobs.count
        worth = jobs.count
        pace = BatchPace(
            jobs: jobs.count, isSmall: jobs.allSatisfy(\.isSmall), processors: session.options.processors,
            after: pool.past)
        isBroad = !pace.isSmall
        encryptionThreads = EncryptionThreads(wakeUp, processors: session.options.processors)
    }

    private var life: DeviceLifetime { session.handle.life }

    /// Runs until every job has been reported.
    func perform() {
        defer {
            releaseAll()
            if pace.isSmall, hasBegun { pool.noteSmall(pace.spent) }
        }
        while unfinished > 0 {
            do throws(TransportError) {
                try context.check()
                if lanes.isEmpty {
                    lanes.append(Lane(channel: try pool.acquire(context)))
                    if !hasBegun { pace.begin() }
                    hasBegun = true
                    if wanted > 1 { pool.grow(to: wanted, wakeUp) }
                }
                adoptIdle()
                let now = ContinuousClock.now
                step(at: now)
                if unfinished > 0, !lanes.isEmpty, !canGoOn { try wait(after: now) }
            } catch {
                recall()
                CancelCleanup(self, error).perform()
            }
        }
    }

    /// Whether a connection that owes nothing can take a job: one that came back into the queue when another connection broke.
    private var canGoOn: Bool {
        !queue.isEmpty && backoff.admits(others: underWay)
            && lanes.contains { !$0.isAway && !$0.isEnding && $0.jobs.isEmpty && $0.channel.hasRoom }
    }

    /// Connections this run is worth, as far as the device gives them.
    private var wanted: Int {
        min(pool.limit, most, isWide ? session.options.maximumForSmall : isBroad ? few : 1)
    }

    /// The most jobs at a time, and so the most connections.
    private var most: Int { backoff.mostJobs ?? .max }

    /// Jobs on all connections that the device has not refused.
    private var underWay: Int { lanes.reduce(0) { $0 + $1.jobs.count { $0.heldBack == nil } } }

    private var few: Int { min(session.options.maximumConnections, (worth + 3) / 4) }

    /// Connections it would take if they were there already.
    private var welcome: Int {
        pace.isSmall ? max(few, min(session.options.maximumForSmall, worth / 8)) : few
    }

    /// Jobs, and so open files, that one connection has at a time at most.
    private static let mostJobs = 64

    /// Jobs that a connection has at a time. They stay on it, so each is left its share, unless answers come too fast for that to
    /// matter.
    private var jobsOnEach: Int {
        let share = (worth + few - 1) / max(few, 1)
        guard pace.isSmall else { return min(Self.mostJobs, max(share, 1)) }
        return pace.isFast(owed: owed) ? Self.mostJobs : min(Self.mostJobs, max(share, 8))
    }

    private var owed: Int { lanes.reduce(0) { $0 + ($1.isAway ? 0 : $1.channel.owed) } }

    /// Requests under way, and jobs, that are allowed on each connection: the same number in all, however many there are.
    /// Connections that are still being opened, or may turn out to be needed, count, so that something is left for them to do.
    private var depth: Int {
        let likely = pace.isFast(owed: owed) ? wanted : max(wanted, min(few, pool.limit))
        return max(1, session.options.requestsInAll / max(lanes.count, likely, 1))
    }

    private func adoptIdle() {
        if !isBroad, few > 1, pace.paysToGrow(left: unfinished, owed: owed) {
            isBroad = true
            pool.grow(to: wanted, wakeUp)
        }
        if isBroad, !isWide, few == session.options.maximumConnections,
            pace.isSlow(left: unfinished, owed: owed, connections: lanes.count)
        {
            isWide = true
            pool.grow(to: wanted, wakeUp)
        }
        let welcome = min(welcome, most)
        while lanes.count < welcome, !queue.isEmpty, !pool.isWantedElsewhere, let channel = pool.takeIdle() {
            lanes.append(Lane(channel: channel))
        }
    }

    /// Everything that can be done at an instant without waiting.
    private func step(at now: ContinuousClock.Instant) {
        if pool.isWantedElsewhere, let last = lanes.indices.last { lanes[last].isEnding = true }
        let depth = depth
        let jobs = min(depth, jobsOnEach)
        for index in lanes.indices where !lanes[index].isAway {
            let channel = lanes[index].channel
            channel.depth = depth
            if backoff.mostJobs != nil { channel.closeAtOnce() }
            for job in lanes[index].jobs where !job.isDone { job.advance(on: channel) }
            while !lanes[index].isEnding, lanes[index].jobs.count < jobs, channel.hasRoom,
                backoff.admits(others: underWay, at: now), let job = queue.popLast()
            {
                backoff.begin()
                lanes[index].jobs.append(job)
                job.begin(on: channel)
                job.advance(on: channel)
                for job in collect(index) { easeOff(job) }
            }
        }
        settle()
    }

    /// Whether a connection on which nothing moves is to be given up: always, except while the run pauses for a device that is
    /// short of resources and owes no answer.
    private func isExpected(_ channel: AFCChannel) -> Bool { channel.owed > 0 || backoff.resumes == nil }

    /// Waits until something can be sent or was received, and does it. A pause that had ended at `now`, the instant of the last
    /// step, is not waited for.
    private func wait(after now: ContinuousClock.Instant) throws(TransportError) {
        let home = lanes.filter { !$0.isAway }.map(\.channel)
        var descriptors = home.map {
            pollfd(fd: $0.connection.descriptor, events: $0.events, revents: 0)
        }
        descriptors.append(pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0))
        let isLeft = home.contains(where: \.mayHoldMore)
        let silent = home.filter(isExpected).map { $0.lastSign.advanced(by: context.silenceLimit) }
        let limit = (silent + [backoff.pauseEnd(after: now)].compactMap { $0 }).min()
        let happened = try Waiting.wait(&descriptors, context, life: life, until: isLeft ? .now : limit)
        if happened, descriptors[home.count].revents != 0 { wakeUp.reset() }
        var ready: [AFCChannel] = []
        for (channel, descriptor) in zip(home, descriptors) {
            channel.isReadable = descriptor.revents & ~Int16(POLLOUT) != 0
            if descriptor.revents != 0 || channel.mayHoldMore {
                ready.append(channel)
            } else if isExpected(channel),
                ContinuousClock.now >= channel.lastSign.advanced(by: context.silenceLimit)
            {
                channel.give(up: .silence)
            }
        }
        serve(ready)
        settle()
        meter.tell()
    }

    /// Sends and receives on connections, with the help of the encryption threads where there is much to do on several.
    private func serve(_ ready: [AFCChannel]) {
        var (light, heavy): ([AFCChannel], [AFCChannel]) = ([], [])
        for channel in ready {
            if encryptionThreads.isHeavy(channel) { heavy.append(channel) } else { light.append(channel) }
        }
        if heavy.count > 1 || (heavy.count == 1 && lanes.contains(where: \.isAway)) {
            for index in lanes.indices where heavy.contains(where: { $0 === lanes[index].channel }) {
                lanes[index].isAway = true
            }
            encryptionThreads.hand(heavy)
        } else {
            light += heavy
        }
        for channel in light {
            channel.serve()
            channel.deliver()
        }
        while let channel = encryptionThreads.takeBack() {
            channel.serve()
            reclaim(channel)
        }
        for channel in encryptionThreads.collect() { reclaim(channel) }
    }

    private func reclaim(_ channel: AFCChannel) {
        for index in lanes.indices where lanes[index].channel === channel { lanes[index].isAway = false }
        channel.deliver()
    }

    /// Has all connections back from the encryption threads.
    private func recall() {
        encryptionThreads.recall()
        for index in lanes.indices where lanes[index].isAway { reclaim(lanes[index].channel) }
    }

    /// Reports finished jobs, and lets go of lanes that are broken or no longer needed.
    private func settle() {
        for index in lanes.indices.reversed() where !lanes[index].isAway {
            for job in collect(index) { easeOff(job) }
            if let failure = lanes[index].channel.failure {
                let lane = lanes.remove(at: index)
                pool.release(lane.channel)
                recover(lane.jobs, failure)
            } else if lanes[index].jobs.isEmpty,
                lanes[index].isEnding || (lanes.count > 1 && (queue.isEmpty || lanes.count > most))
            {
                pool.release(lanes.remove(at: index).channel)
            }
        }
        for lane in lanes where !lane.isAway {
            let counters = lane.channel.takeCounters()
            pace.requests += Int(clamping: counters.requests)
            pool.count(counters)
        }
    }

    /// Takes the finished jobs off a connection: reports them, and returns those that the device held back.
    func collect(_ index: Int) -> [AFCJob] {
        guard lanes[index].jobs.contains(where: \.isFinished) else { return [] }
        let done = lanes[index].jobs.filter(\.isFinished)
        lanes[index].jobs.removeAll(where: \.isFinished)
        var heldBack: [AFCJob] = []
        for job in done {
            if job.heldBack != nil, job.failure == nil {
                heldBack.append(job)
            } else {
                // That something was tidied up does not mean there is room for more.
                if !(job is CleanupJob) { backoff.carryOut() }
                report(job)
            }
        }
        return heldBack
    }

    /// Lets a job that was held back begin again, with fewer others beside it and fewer connections, or fails it when that
    /// has been of no use for long.
    private func easeOff(_ job: AFCJob) {
        guard let refusal = job.heldBack else { return }
        if backoff.refuse(others: underWay), job.reset() {
            job.undone()
            queue.append(job)
        } else if let tidying = CleanupJob(after: job, refusal) {
            queue.append(tidying)
        } else {
            job.drop(refusal)
            report(job)
        }
        pool.easeOff(to: most)
    }

    func report(_ job: AFCJob) {
        unfinished -= 1
        let job = job.reported()
        if let doubt = job.doubt { job.failure?.message += "; however, \(doubt)" }
        meter.itemDone()
        finished(job)
    }

    /// Repeats the jobs of a broken connection on another one where that does no harm, once and for one look more, and fails
    /// the others. What those would leave on the device is removed over another one first.
    private func recover(_ jobs: [AFCJob], _ failure: TransportError) {
        guard !jobs.isEmpty else { return }
        let error = session.judged(failure)
        let maySendMore = [.connectionLost, .protocolViolation].contains(error.code)
        for job in jobs.reversed() {
            if maySendMore, !job.isDone || job.heldBack != nil, job.failure == nil,
                !job.wasRepeated || job.wantsLook,
                job.reset()
            {
                job.undone()
                job.wasRepeated = true
                queue.append(job)
            } else if maySendMore, let tidying = CleanupJob(after: job, error) {
                queue.append(tidying)
            } else {
                job.drop(error)
                report(job)
            }
        }
    }

    func releaseAll() {
        recall()
        for lane in lanes {
            // Closes that nobody waits for; what the connection does not take now goes with its next request.
            lane.channel.flush()
            pool.release(lane.channel)
        }
        lanes = []
        meter.tell()
    }
}
