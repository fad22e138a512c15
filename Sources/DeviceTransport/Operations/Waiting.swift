import Glibc

/// Waits that end with an event, a cancellation, a deadline, or the loss of the device.
enum Waiting {
    /// Waits until one of `descriptors` is ready, or `limit` passes. Returns whether one may be ready.
    ///
    /// Sets `revents` of the descriptors. A negative descriptor cannot be polled, so this returns true after 20 ms
    /// and the caller must check it. Throws `.cancelled`, `.timedOut` at the context's deadline, or `.deviceGone`.
    static func wait(
        _ descriptors: inout [pollfd], _ context: OperationContext, life: DeviceLifetime?,
        until limit: ContinuousClock.Instant? = nil
    ) throws(TransportError) -> Bool {
        let count = descriptors.count
        let isBlind = descriptors.contains { $0.fd < 0 }
        defer { descriptors.removeLast(descriptors.count - count) }
        if let cancellation = context.cancellation {
            descriptors.append(pollfd(fd: cancellation.descriptor, events: Int16(POLLIN), revents: 0))
        }
        if let life {
            descriptors.append(pollfd(fd: life.descriptor, events: Int16(POLLIN), revents: 0))
        }
        while true {
            var end = [limit, context.deadline].compactMap { $0 }.min()
            if descriptors.contains(where: { $0.fd < 0 }) {
                // The process had no descriptor left for a signal, so the signal is polled every 20 ms.
                end = min(end ?? .now.advanced(by: .seconds(3600)), .now.advanced(by: .milliseconds(20)))
            }
            let ready = poll(&descriptors, nfds_t(descriptors.count), milliseconds(until: end))
            let number = errno
            if ready < 0 && number != EINTR {
                throw TransportError(posix: number, doing: "Waiting for the device")
            }
            if let life, life.isGone { throw .gone(life) }
            if let cancellation = context.cancellation, cancellation.isCancelled { throw .cancelled }
            if ready > 0, descriptors[..<count].contains(where: { $0.revents != 0 }) { return true }
            let now = ContinuousClock.now
            if let deadline = context.deadline, now >= deadline { throw .deadlinePassed }
            if let limit, now >= limit { return false }
            if isBlind { return true }
        }
    }

    /// The timeout for `poll`, rounded up; -1 for no limit.
    static func milliseconds(until end: ContinuousClock.Instant?) -> Int32 {
        guard let end else { return -1 }
        let left = end - ContinuousClock.now
        guard left > .zero else { return 0 }
        let (seconds, attoseconds) = left.components
        guard seconds < 86_400 else { return 86_400_000 }
        return Int32(seconds * 1000) + Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

extension TransportError {
    static func gone(_ life: DeviceLifetime) -> TransportError {
        TransportError(
            .deviceGone, "The device was disconnected.", subject: life.udid,
            hint: "Connect the device again and run the command again.")
    }
}
