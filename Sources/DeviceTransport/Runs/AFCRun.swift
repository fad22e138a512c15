import Glibc
import Platform

/// Runs jobs until all have ended, on the calling thread, over up to four connections of a pool.
///
/// The numbers are fixed: one connection for every sixteen requests, at most four, with up to 32 requests in flight
/// on each. A device answers the requests of a connection one after the other, so several connections help if it is
/// slow; but it allows only about five for all programs together. Parallel requests hide the round trips of the
/// cable, and 32 hide several milliseconds. The first connection works alone until the others are open, or if the
/// device refuses them. It leaves the others their share of the jobs, because a job cannot move to another
/// connection.
final class AFCRun {
    /// The number of requests for which a connection of their own is worthwhile. Opening one takes about six round
    /// trips, and as much processor time as dozens of requests.
    private static let requestsForConnection = 16
    /// The longest wait for the device to close a connection whose answers were invalid.
    private static let patienceWithAbandoned = Duration.milliseconds(500)

    /// A connection in use, and its jobs. A job stays on its connection, because file handles belong to the
    /// connection.
    struct Lane {
        let channel: AFCChannel
        var jobs: [AFCJob] = []
        /// Whether the lane takes no more jobs, because another operation is waiting for the connection.
        var isEnding = false
    }

    let pool: ChannelPool
    let session: DeviceSession
    let context: OperationContext
    let meter: ProgressMeter
    private let finished: (AFCJob) -> Void
    private let wakeUp = WakeUpDescriptor()
    var queue: [AFCJob]
    var lanes: [Lane] = []
    private var unfinished: Int
    /// The number of connections that is worthwhile for the jobs.
    private let connections: Int
    /// The number of jobs for each of these connections if they are distributed evenly.
    private let share: Int
    private var backoff = ResourceBackoff()

    /// Prepares a run. It passes each job to `finished` on the calling thread when the job has ended.
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
        let requests = jobs.reduce(0) { $0 + $1.expectedRequests }
        let worth = (requests + Self.requestsForConnection - 1) / Self.requestsForConnection
        connections = min(session.options.maximumConnections, max(1, worth))
        share = (jobs.count + connections - 1) / connections
    }

    private var life: DeviceLifetime { session.handle.life }

    /// Runs until every job has been reported.
    func perform() {
        defer { releaseAll() }
        while unfinished > 0 {
            do throws(TransportError) {
                try context.check()
                if lanes.isEmpty {
                    lanes.append(Lane(channel: try pool.acquire(context)))
                    if wanted > 1 { pool.grow(to: wanted, wakeUp) }
                }
                while lanes.count < wanted, !queue.isEmpty, !pool.isWantedElsewhere,
                    let channel = pool.takeIdle()
                {
                    lanes.append(Lane(channel: channel))
                }
                let now = ContinuousClock.now
                step(at: now)
                if unfinished > 0, !lanes.isEmpty, !canGoOn { try wait(after: now) }
            } catch {
                CancelCleanup(self, error).perform()
            }
        }
    }

    /// Whether an idle connection can take a job, for example one that returned to the queue when another connection
    /// broke.
    private var canGoOn: Bool {
        !queue.isEmpty && backoff.admits(others: underWay)
            && lanes.contains { !$0.isEnding && $0.jobs.isEmpty && $0.channel.hasRoom }
    }

    /// The number of connections that this run may use now.
    private var wanted: Int { max(1, min(connections, pool.limit, most)) }

    /// The largest number of jobs at a time, and therefore of connections.
    private var most: Int { backoff.mostJobs ?? .max }

    /// The number of running jobs on all connections that the device has not refused.
    private var underWay: Int { lanes.reduce(0) { $0 + $1.jobs.count { $0.heldBack == nil } } }

    /// Starts jobs and sends requests without waiting.
    private func step(at now: ContinuousClock.Instant) {
        if pool.isWantedElsewhere, let last = lanes.indices.last { lanes[last].isEnding = true }
        let depth = session.options.requestsOnEach
        let jobs = max(1, min(depth, share))
        for index in lanes.indices {
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

    /// Whether a silent connection counts as failed. It does, except while the run pauses for a device that is short
    /// of resources and owes no answer.
    private func isExpected(_ channel: AFCChannel) -> Bool { channel.owed > 0 || backoff.resumes == nil }

    /// Waits until bytes can be sent or received, and moves them. Ignores a pause that had ended at `now`, the time
    /// of the last step.
    private func wait(after now: ContinuousClock.Instant) throws(TransportError) {
        let channels = lanes.map(\.channel)
        var descriptors = channels.map {
            pollfd(fd: $0.connection.descriptor, events: $0.events, revents: 0)
        }
        descriptors.append(pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0))
        let isLeft = channels.contains(where: \.mayHoldMore)
        let silent = channels.filter(isExpected).map { $0.lastSign.advanced(by: context.silenceLimit) }
        let limit = (silent + [backoff.pauseEnd(after: now)].compactMap { $0 }).min()
        let happened = try Waiting.wait(&descriptors, context, life: life, until: isLeft ? .now : limit)
        if happened, descriptors[channels.count].revents != 0 { wakeUp.reset() }
        for (channel, descriptor) in zip(channels, descriptors) {
            channel.isReadable = descriptor.revents & ~Int16(POLLOUT) != 0
            if descriptor.revents != 0 || channel.mayHoldMore {
                channel.serve()
                channel.deliver()
            } else if isExpected(channel),
                ContinuousClock.now >= channel.lastSign.advanced(by: context.silenceLimit)
            {
                channel.give(up: .silence)
            }
        }
        settle()
        meter.notify(underWay: lanes.reduce(0) { $0 + $1.channel.contentUnderWay })
    }

    /// Reports finished jobs, and releases connections that are broken or no longer needed.
    private func settle() {
        for index in lanes.indices.reversed() {
            for job in collect(index) { easeOff(job) }
            if let failure = lanes[index].channel.failure {
                let jobs = lanes[index].jobs
                // A file that the device is still creating for this connection must exist before it can be removed.
                if failure.code == .protocolViolation, jobs.contains(where: \.leavesTraces) {
                    lanes[index].channel.connection.drain(within: Self.patienceWithAbandoned)
                }
                release(index)
                recover(jobs, failure)
            } else if lanes[index].jobs.isEmpty,
                lanes[index].isEnding || (lanes.count > 1 && (queue.isEmpty || lanes.count > most))
            {
                release(index)
            }
        }
        for lane in lanes { pool.count(lane.channel.takeCounters()) }
    }

    /// Removes the finished jobs from a connection. Reports them, and returns those for which the device lacked
    /// resources.
    func collect(_ index: Int) -> [AFCJob] {
        guard lanes[index].jobs.contains(where: \.isFinished) else { return [] }
        let done = lanes[index].jobs.filter(\.isFinished)
        lanes[index].jobs.removeAll(where: \.isFinished)
        var heldBack: [AFCJob] = []
        for job in done {
            if job.heldBack != nil, job.failure == nil {
                heldBack.append(job)
            } else {
                // A removal succeeds even if the device lacks resources for more jobs.
                if !(job is CleanupJob) { backoff.carryOut() }
                report(job)
            }
        }
        return heldBack
    }

    /// Queues a job again for which the device lacked resources, and reduces the number of parallel jobs and of
    /// connections. If that has not helped for a long time, fails the job.
    private func easeOff(_ job: AFCJob) {
        guard let refusal = job.heldBack else { return }
        if backoff.refuse(others: underWay), job.reset() {
            job.undone()
            queue.append(job)
        } else if let tidying = CleanupJob(after: job, refusal) {
            requeue(tidying)
        } else {
            job.drop(refusal)
            report(job)
        }
        pool.easeOff(to: most)
    }

    func report(_ job: AFCJob) {
        unfinished -= 1
        let job = job.reported()
        if let doubt = job.doubt { job.failure?.message += " However, \(doubt)." }
        meter.itemDone()
        finished(job)
    }

    /// Repeats the jobs of a broken connection on another connection if that is safe: once, and once more to check
    /// what was done. Fails the others, after removing what they left on the device over another connection. A
    /// cleanup does not count a loss that another job may have caused, because the others are repeated only a few
    /// times.
    private func recover(_ jobs: [AFCJob], _ failure: TransportError) {
        guard !jobs.isEmpty else { return }
        let error = session.judged(failure)
        let maySendMore = [.connectionLost, .protocolViolation].contains(error.code)
        let isOnlyCleanup = jobs.allSatisfy { $0 is CleanupJob }
        for job in jobs.reversed() {
            if maySendMore, !job.isDone || job.heldBack != nil || job is CleanupJob, job.failure == nil,
                !job.wasRepeated || job.wantsLook,
                job.reset()
            {
                job.undone()
                job.wasRepeated = isOnlyCleanup || !(job is CleanupJob)
                requeue(job)
            } else if maySendMore, let tidying = CleanupJob(after: job, error) {
                requeue(tidying)
            } else {
                job.drop(error)
                report(job)
            }
        }
    }

    /// Queues a job to begin next. A cleanup is queued after all others, because it might break their connection.
    private func requeue(_ job: AFCJob) {
        if job is CleanupJob { queue.insert(job, at: 0) } else { queue.append(job) }
    }

    private func release(_ index: Int) {
        let channel = lanes.remove(at: index).channel
        // Sends closes that are still queued. Any that the connection does not accept now are sent with its next
        // request.
        channel.endBatch()
        pool.release(channel)
    }

    func releaseAll() {
        for index in lanes.indices.reversed() { release(index) }
        meter.notify()
    }
}
