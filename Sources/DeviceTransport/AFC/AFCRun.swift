import Glibc

/// Drives jobs to their ends on the calling thread, over as many of a pool's connections as they are worth.
final class AFCRun {
    /// A connection in use, and the jobs on it. A job stays on its connection, because file handles belong to it.
    struct Lane {
        let channel: AFCChannel
        var jobs: [AFCJob] = []
        /// Takes no more jobs, because another operation waits for the connection.
        var isEnding = false
    }

    let pool: ChannelPool
    let session: DeviceSession
    let context: OperationContext
    let meter: ProgressMeter
    private let finished: (AFCJob) -> Void
    private let bell = Doorbell()
    var queue: [AFCJob]
    var lanes: [Lane] = []
    private var unfinished: Int
    private let worth: Int

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
    }

    private var life: DeviceLife { session.handle.life }

    /// Runs until every job has been reported.
    func perform() {
        defer { releaseAll() }
        while unfinished > 0 {
            do throws(TransportError) {
                try context.check()
                if lanes.isEmpty {
                    lanes.append(Lane(channel: try pool.acquire(context)))
                    if wanted > 1 { pool.grow(to: wanted, bell) }
                }
                adoptIdle()
                step()
                if unfinished > 0, !lanes.isEmpty { try wait() }
            } catch {
                WindDown(self, error).perform()
            }
        }
    }

    /// Connections this run is worth, as far as the device gives them.
    private var wanted: Int { min(pool.limit, (worth + 3) / 4) }

    /// Requests under way, and jobs, that are allowed on each connection: the same number in all, however many there are.
    /// Connections that are still being opened count, so that something is left for them to do.
    private var depth: Int {
        let total = session.options.requestsPerConnection * session.options.maximumConnections
        return max(1, total / max(lanes.count, wanted, 1))
    }

    private func adoptIdle() {
        let wanted = wanted
        while lanes.count < wanted, !queue.isEmpty, !pool.isWantedElsewhere, let channel = pool.takeIdle() {
            lanes.append(Lane(channel: channel))
        }
    }

    /// Everything that can be done without waiting.
    private func step() {
        if pool.isWantedElsewhere, let last = lanes.indices.last { lanes[last].isEnding = true }
        let depth = depth
        for index in lanes.indices {
            let channel = lanes[index].channel
            channel.depth = depth
            for job in lanes[index].jobs where !job.isDone { job.advance(on: channel) }
            while !lanes[index].isEnding, lanes[index].jobs.count < depth, channel.hasRoom,
                let job = queue.popLast()
            {
                lanes[index].jobs.append(job)
                job.begin(on: channel)
                job.advance(on: channel)
                collect(index)
            }
            channel.flush()
        }
        settle()
    }

    /// Waits until something can be sent or was received, and does it.
    private func wait() throws(TransportError) {
        var descriptors = lanes.map {
            pollfd(fd: $0.channel.connection.descriptor, events: $0.channel.events, revents: 0)
        }
        descriptors.append(pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0))
        let isLeft = lanes.contains { $0.channel.mayHoldMore }
        let silent = lanes.map { $0.channel.lastSign.advanced(by: context.silenceLimit) }.min()
        let happened = try Waiting.wait(&descriptors, context, life: life, until: isLeft ? .now : silent)
        if happened, descriptors[lanes.count].revents != 0 { bell.quiet() }
        for index in lanes.indices {
            let channel = lanes[index].channel
            if descriptors[index].revents != 0 || channel.mayHoldMore {
                channel.receive()
                for job in lanes[index].jobs where !job.isDone { job.advance(on: channel) }
                channel.flush()
            } else if channel.owed > 0,
                ContinuousClock.now >= channel.lastSign.advanced(by: context.silenceLimit)
            {
                channel.give(up: .silence)
            }
        }
        settle()
        meter.tell()
    }

    /// Reports finished jobs, and lets go of lanes that are broken or no longer needed.
    private func settle() {
        for index in lanes.indices.reversed() {
            collect(index)
            if let failure = lanes[index].channel.failure {
                let lane = lanes.remove(at: index)
                pool.release(lane.channel)
                recover(lane.jobs, failure)
            } else if lanes[index].jobs.isEmpty, lanes[index].isEnding || (queue.isEmpty && lanes.count > 1) {
                pool.release(lanes.remove(at: index).channel)
            }
        }
        for lane in lanes { pool.count(lane.channel.takeCounters()) }
    }

    func collect(_ index: Int) {
        guard lanes[index].jobs.contains(where: \.isFinished) else { return }
        let done = lanes[index].jobs.filter(\.isFinished)
        lanes[index].jobs.removeAll(where: \.isFinished)
        for job in done { report(job) }
    }

    func report(_ job: AFCJob) {
        unfinished -= 1
        meter.itemDone()
        finished(job)
    }

    /// Repeats the jobs of a broken connection on another one where that does no harm, once, and fails the others.
    private func recover(_ jobs: [AFCJob], _ failure: TransportError) {
        guard !jobs.isEmpty else { return }
        let error = session.judged(failure)
        let mayRepeat = [.connectionLost, .protocolViolation].contains(error.code)
        for job in jobs.reversed() {
            if mayRepeat, !job.isDone, job.failure == nil, !job.wasRepeated, job.reset() {
                job.undone()
                job.wasRepeated = true
                queue.append(job)
            } else {
                job.drop(error)
                report(job)
            }
        }
    }

    func releaseAll() {
        for lane in lanes { pool.release(lane.channel) }
        lanes = []
        meter.tell()
    }
}
