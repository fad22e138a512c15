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
    /// Round trip and bandwidth are looked up for every piece, so changes take effect at once.
    func run(client: Int32, service: Int32) {
        var lines = [
            DelayLine(from: client, to: service, window: LinkRelay.windowToDevice),
            DelayLine(from: service, to: client, window: LinkRelay.windowToHost),
        ]
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }

        while !lines.allSatisfy(\.isFinished) {
            var descriptors: [pollfd] = []
            var watched: [(line: Int, input: Int?, output: Int)] = []
            var deadline: ContinuousClock.Instant?
            for index in lines.indices {
                let isFull = lines[index].deliver(now: .now)
                if lines[index].isFinished { continue }
                if !isFull, let due = lines[index].due { deadline = min(deadline ?? due, due) }
                // Without events a descriptor still reports that its peer is gone.
                descriptors.append(
                    pollfd(fd: lines[index].sink, events: isFull ? Int16(POLLOUT) : 0, revents: 0))
                let output = descriptors.count - 1
                if lines[index].wantsInput {
                    descriptors.append(pollfd(fd: lines[index].source, events: Int16(POLLIN), revents: 0))
                }
                watched.append((index, lines[index].wantsInput ? descriptors.count - 1 : nil, output))
            }
            if watched.isEmpty { break }
            let timeout = deadline.map { max(.zero, $0 - .now) }
            guard pollOnce(&descriptors, timeout: timeout) >= 0 || errno == EINTR else { break }
            for (index, input, output) in watched {
                if descriptors[output].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 {
                    lines[index].abandon()
                } else if let input, descriptors[input].revents != 0 {
                    lines[index].take(buffer: buffer, crossing: crossing)
                }
            }
        }
        // Whatever ended the relay, neither side may wait for the other for ever.
        _ = shutdown(client, Int32(SHUT_RDWR))
        _ = shutdown(service, Int32(SHUT_RDWR))
    }

    private func crossing(_ count: Int) -> ContinuousClock.Instant {
        let settings = device.settings
        return bandwidth.crossing(count, rate: settings.bandwidth) + settings.linkRoundTrip / 2
    }
}
