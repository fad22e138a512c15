import DeviceWire
import Glibc

/// The cleanup of a run after a cancellation, a deadline or the loss of the device. Jobs that would leave a file
/// behind get a short time to remove it.
///
/// They first use their own connections. If that takes too long, because the connections are full of content for a
/// slow cable, a new connection removes the files. A user who cancels waits for all of this, so a silent device gets
/// less time than one that answers slowly.
final class CancelCleanup {
    /// The longest wait for answers if no file is left behind.
    private static let patienceWithoutTraces = Duration.milliseconds(250)
    /// The longest wait during which no byte moves.
    private static let silence = Duration.milliseconds(300)
    /// The longest wait for the connections in use before a new one is tried.
    private static let patienceWithBacklog = Duration.seconds(1)
    /// The longest wait for the new connection: first for a device that was silent for a long time, then for any
    /// other device.
    private static let openingAfterSilence = Duration.milliseconds(500)
    private static let opening = Duration.seconds(2)
    private static let longSilence = Duration.seconds(10)
    /// The longest wait in total.
    private static let patience = Duration.seconds(4)

    private struct Leaving {
        let job: AFCJob
        /// The channel; nil if the connection was lost before and the job was waiting to be repeated.
        let channel: AFCChannel?
    }

    private let run: AFCRun
    private let error: TransportError
    private let end = ContinuousClock.now.advanced(by: patience)
    /// Jobs whose files are removed over another connection.
    private var leaving: [Leaving] = []

    init(_ run: AFCRun, _ error: TransportError) {
        self.run = run
        self.error = error
    }

    /// Ends and reports all jobs of the run, and releases its connections.
    func perform() {
        for job in run.queue.reversed() { leave(job) }
        run.queue = []
        if error.code != .deviceGone {
            let lastMove = run.lanes.map(\.channel.lastMove).max() ?? .now
            let wasSilent = ContinuousClock.now - lastMove > Self.longSilence
            giveUp()
            for index in run.lanes.indices { takeOff(index) }
            if !leaving.isEmpty { tidyElsewhere(wasSilent ? Self.openingAfterSilence : Self.opening) }
        }
        for leaving in leaving { finish(leaving.job) }
        for index in run.lanes.indices {
            let lane = run.lanes[index]
            let channel = lane.channel
            if channel.owed > 0 || channel.hasUnsent || channel.hasEndedSending || !lane.jobs.isEmpty {
                channel.give(up: error)
            }
            run.lanes[index].jobs = []
            for job in lane.jobs { finish(job) }
        }
        run.releaseAll()
    }

    /// Ends a job that has no connection.
    private func leave(_ job: AFCJob) {
        if job.remains == nil { finish(job) } else { leaving.append(Leaving(job: job, channel: nil)) }
    }

    private func finish(_ job: AFCJob) {
        if !job.isFinished || job.heldBack != nil { job.drop(error) }
        run.report(job)
    }

    /// Abandons the jobs, and waits for the answers to their cleanup as long as these arrive soon.
    private func giveUp() {
        for lane in run.lanes {
            lane.channel.takeBack()
            for job in lane.jobs where !job.isDone { job.abandon(error, on: lane.channel) }
            lane.channel.flush()
        }
        settle()
        let start = ContinuousClock.now
        let traces = run.lanes.contains { $0.jobs.contains(where: \.leavesTraces) }
        let limit = start.advanced(by: traces ? Self.patienceWithBacklog : Self.patienceWithoutTraces)
        while run.lanes.contains(where: { $0.channel.owed > 0 || $0.channel.hasUnsent }) {
            let lastMove = run.lanes.map(\.channel.lastMove).max() ?? start
            let silent = max(lastMove, start).advanced(by: Self.silence)
            guard exchange(run.lanes.map(\.channel), silentUntil: silent, limit) else { return }
            settle()
        }
    }

    /// Reports finished jobs, and releases broken connections.
    private func settle() {
        for index in run.lanes.indices.reversed() {
            for job in run.collect(index) { leave(job) }
            guard let failure = run.lanes[index].channel.failure else { continue }
            takeOff(index)
            let lane = run.lanes.remove(at: index)
            run.pool.release(lane.channel)
            for job in lane.jobs {
                job.drop(failure)
                run.report(job)
            }
        }
    }

    private func takeOff(_ index: Int) {
        let lane = run.lanes[index]
        leaving += lane.jobs.filter(\.leavesTraces).map { Leaving(job: $0, channel: lane.channel) }
        run.lanes[index].jobs.removeAll(where: \.leavesTraces)
    }

    // MARK: Over another connection

    private func tidyElsewhere(_ limit: Duration) {
        for channel in channelsLeft { channel.endSending() }
        let start = ContinuousClock.now
        let fresh: AFCChannel
        do throws(TransportError) {
            fresh = try run.pool.openExtra(OperationContext(limit: limit))
        } catch {
            // The device cannot be reached. The error of each job names the file that remains.
            return
        }
        let silence = Self.silence + (ContinuousClock.now - start) * 2
        guard removeRemains(over: fresh, silence) else { return }
        // Requests in flight may still create or rename a file. When the device has received everything that was
        // sent, it answers or closes the connection.
        while fresh.failure == nil, channelsLeft.contains(where: \.hasBacklog) {
            guard exchange(channelsLeft + [fresh], silentUntil: end, end) else { break }
        }
        _ = removeRemains(over: fresh, silence)
    }

    /// Connections whose requests may still change files.
    private var channelsLeft: [AFCChannel] {
        var channels: [AFCChannel] = []
        for leaving in leaving where leaving.job.leavesTraces {
            guard let channel = leaving.channel, channel.failure == nil else { continue }
            if !channels.contains(where: { $0 === channel }) { channels.append(channel) }
        }
        return channels
    }

    /// Removes all files that are known to remain. Returns false if the device does not answer.
    private func removeRemains(over fresh: AFCChannel, _ silence: Duration) -> Bool {
        for leaving in leaving {
            let (job, channel) = (leaving.job, leaving.channel)
            guard let path = job.remains else { continue }
            let request = AFCRequest.removePath(path: path)
            let removal = RequestJob(job.index, request, about: path) { answer in
                let failure = answer.failure(path)
                if failure == nil || failure?.code == .notFound {
                    job.remainsAreGone(
                        wereThere: failure == nil, forGood: channel.map { $0.failure != nil } ?? true)
                }
                return failure
            }
            removal.begin(on: fresh)
        }
        fresh.flush()
        while fresh.owed > 0, fresh.failure == nil {
            let silent = max(fresh.lastMove, fresh.lastSign).advanced(by: silence)
            guard exchange(channelsLeft + [fresh], silentUntil: silent, end) else { return false }
        }
        return fresh.failure == nil
    }

    /// Waits for the connections and moves bytes. Returns false if nothing moved until `silent`, if `limit` has
    /// passed even though bytes still move, or if the device is gone.
    private func exchange(
        _ channels: [AFCChannel], silentUntil silent: ContinuousClock.Instant,
        _ limit: ContinuousClock.Instant
    ) -> Bool {
        guard ContinuousClock.now < limit else { return false }
        var descriptors = channels.map {
            pollfd(fd: $0.connection.descriptor, events: $0.events, revents: 0)
        }
        let isLeft = channels.contains(where: \.mayHoldMore)
        do throws(TransportError) {
            let life = run.session.handle.life
            let happened = try Waiting.wait(
                &descriptors, OperationContext(), life: life, until: isLeft ? .now : min(silent, limit))
            guard happened || isLeft else { return false }
        } catch {
            return false
        }
        for channel in channels {
            channel.receive()
            channel.flush()
        }
        return true
    }
}
