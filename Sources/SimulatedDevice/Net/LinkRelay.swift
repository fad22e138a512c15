import Glibc

/// The link between a client and the device: carries bytes both ways, later than they were sent and no faster than the
/// cable allows.
struct LinkRelay {
    /// usbmuxd announces this window for what a device sends.
    static let windowToHost = 131_072
    /// What a device takes before it must have acknowledged.
    static let windowToDevice = 524_288

    let device: SimulatedDevice
    let bandwidth: SharedBandwidth

    /// Carries bytes between the sockets of the client and of the service until both directions have ended.
    ///
    /// Round trip and bandwidth are looked up for every piece, so changes take effect with the next one.
    func run(client: Int32, service: Int32) {
        var lines = [
            DelayLine(from: client, to: service, window: LinkRelay.windowToDevice),
            DelayLine(from: service, to: client, window: LinkRelay.windowToHost),
        ]
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        while step(&lines, buffer) {}
        // Whatever ended the relay, neither side may wait for the other for ever.
        _ = shutdown(client, Int32(SHUT_RDWR))
        _ = shutdown(service, Int32(SHUT_RDWR))
    }

    private struct Watched {
        var line: Int
        var output: Int
        var input: Int?
    }

    /// Delivers what is due, waits for the next event and takes in what came; false when there is nothing left to do.
    private func step(_ lines: inout [DelayLine], _ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        var descriptors: [pollfd] = []
        var watched: [Watched] = []
        var deadlines: [ContinuousClock.Instant] = []
        let now = ContinuousClock.now
        for index in lines.indices {
            let isFull = lines[index].deliver(now: now)
            if lines[index].isFinished { continue }
            if !isFull, let due = lines[index].due { deadlines.append(due) }
            // Without events a descriptor still reports that its peer is gone.
            descriptors.append(pollfd(fd: lines[index].sink, events: isFull ? Int16(POLLOUT) : 0, revents: 0))
            var entry = Watched(line: index, output: descriptors.count - 1)
            if let time = lines[index].nextInput(now: now) {
                if time <= now {
                    entry.input = descriptors.count
                    descriptors.append(pollfd(fd: lines[index].source, events: Int16(POLLIN), revents: 0))
                } else {
                    deadlines.append(time)
                }
            }
            watched.append(entry)
        }
        if watched.isEmpty { return false }
        let timeout = deadlines.min().map { max(.zero, $0 - .now) }
        guard pollOnce(&descriptors, timeout: timeout) >= 0 else { return errno == EINTR }
        let (roundTrip, rate) = device.setting { ($0.linkRoundTrip, $0.bandwidth) }
        for entry in watched {
            if descriptors[entry.output].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 {
                lines[entry.line].abandon()
            } else if let input = entry.input, descriptors[input].revents != 0 {
                let piece = pieceSize(rate, buffer.count)
                lines[entry.line].take(
                    now: .now, buffer: UnsafeMutableRawBufferPointer(rebasing: buffer[..<piece]),
                    delay: roundTrip / 2
                ) { bandwidth.crossing($0, rate: rate) }
            }
        }
        return true
    }

    /// What crosses in a hundredth of a second, so that a slow cable still delivers steadily.
    private func pieceSize(_ rate: Int?, _ largest: Int) -> Int {
        rate.map { min(largest, max(512, $0 / 100)) } ?? largest
    }
}
