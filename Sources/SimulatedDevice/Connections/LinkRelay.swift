import Glibc
import Platform

/// The link between a client and the device. It carries bytes in both directions, with a delay and no faster than the
/// cable allows.
struct LinkRelay {
    /// The window that usbmuxd announces for data from the device, in bytes.
    static let windowToHost = 131_072
    /// The number of bytes that a device accepts before it must have acknowledged them.
    static let windowToDevice = 524_288

    let settings: SettingsSnapshot
    let bandwidth: SharedBandwidth

    /// Carries bytes between the sockets of the client and of the service until both directions have ended.
    ///
    /// The round trip and the bandwidth are read for every piece, so changes take effect with the next one.
    func run(client: Int32, service: Int32) {
        var lines = [
            LatencyPipe(from: client, to: service, window: LinkRelay.windowToDevice),
            LatencyPipe(from: service, to: client, window: LinkRelay.windowToHost),
        ]
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        var round = Round()
        while step(&lines, &round, buffer) {}
        // Otherwise one side could wait for the other indefinitely.
        _ = shutdown(client, Int32(SHUT_RDWR))
        _ = shutdown(service, Int32(SHUT_RDWR))
    }

    private struct Watched {
        var line: Int
        var output: Int
        var input: Int?
    }

    /// The descriptors and the deadline of one step. Its memory is reused for the next step.
    private struct Round {
        var descriptors: [pollfd] = []
        var watched: [Watched] = []
        var deadline: ContinuousClock.Instant?

        mutating func clear() {
            descriptors.removeAll(keepingCapacity: true)
            watched.removeAll(keepingCapacity: true)
            deadline = nil
        }

        mutating func wake(at time: ContinuousClock.Instant) {
            deadline = deadline.map { min($0, time) } ?? time
        }

        mutating func watch(_ descriptor: Int32, _ events: Int32) -> Int {
            descriptors.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
            return descriptors.count - 1
        }
    }

    /// Delivers what is due, waits for the next event, and takes in new bytes. Returns false if there is nothing left
    /// to do.
    private func step(
        _ lines: inout [LatencyPipe], _ round: inout Round, _ buffer: UnsafeMutableRawBufferPointer
    ) -> Bool {
        round.clear()
        let now = ContinuousClock.now
        for index in lines.indices {
            let isFull = lines[index].deliver(now: now)
            if lines[index].isFinished { continue }
            if !isFull, let due = lines[index].due { round.wake(at: due) }
            // Even without requested events, poll reports that the peer has gone.
            var entry = Watched(
                line: index, output: round.watch(lines[index].sink, isFull ? POLLOUT : 0))
            if let time = lines[index].nextInput(now: now) {
                if time <= now {
                    entry.input = round.watch(lines[index].source, POLLIN)
                } else {
                    round.wake(at: time)
                }
            }
            round.watched.append(entry)
        }
        if round.watched.isEmpty { return false }
        let timeout = round.deadline.map { max(.zero, $0 - .now) }
        guard pollOnce(&round.descriptors, timeout: timeout) >= 0 else { return errno == EINTR }
        let (roundTrip, rate) = (settings.linkRoundTrip, settings.bandwidth)
        for entry in round.watched {
            if round.descriptors[entry.output].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 {
                lines[entry.line].abandon()
            } else if let input = entry.input, round.descriptors[input].revents != 0 {
                let piece = pieceSize(rate, buffer.count)
                lines[entry.line].take(
                    now: .now, buffer: UnsafeMutableRawBufferPointer(rebasing: buffer[..<piece]),
                    delay: roundTrip / 2
                ) { bandwidth.transmission($0, rate: rate) }
            }
        }
        return true
    }

    /// The number of bytes that cross in a hundredth of a second, so that a slow cable also delivers steadily.
    private func pieceSize(_ rate: Int?, _ largest: Int) -> Int {
        rate.map { min(largest, max(512, $0 / 100)) } ?? largest
    }
}
