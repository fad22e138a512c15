import DeviceTransport
import Synchronization

/// The faults between host and device, triggered by the number of a request. Any thread.
final class DeviceFaults: Sendable {
    private struct State {
        var requests = 0
        var writes = 0
        var vanishesAt: Int?
        var fillsAt: Int?
        var isGone = false
        var hasFilled = false
    }

    private let state = Mutex(State())
    private let handlers = Mutex<(next: Int, all: [Int: @Sendable () -> Void])>((0, [:]))

    /// The number of requests since the last `arm`.
    var requests: Int { state.withLock { $0.requests } }
    /// The number of writing requests since the last `arm`.
    var writes: Int { state.withLock { $0.writes } }
    /// Whether the device has disappeared.
    var isGone: Bool { state.withLock { $0.isGone } }
    /// Whether a request has found the device full.
    var hasFilled: Bool { state.withLock { $0.hasFilled } }

    /// Restarts the count. The device disappears at one request, or is full from one writing request on.
    func arm(vanishesAt: Int? = nil, fillsAt: Int? = nil) {
        state.withLock { $0 = State(vanishesAt: vanishesAt, fillsAt: fillsAt) }
    }

    /// Ends the faults.
    func disarm() { arm() }

    /// Calls a handler when the device disappears, as long as the result is kept.
    func whenGone(_ handler: @escaping @Sendable () -> Void) -> Registration {
        let number = handlers.withLock { handlers in
            handlers.next += 1
            handlers.all[handlers.next] = handler
            return handlers.next
        }
        return Registration(self, number)
    }

    /// A handler that waits for the device to disappear.
    final class Registration: Sendable {
        private let faults: DeviceFaults
        private let number: Int

        init(_ faults: DeviceFaults, _ number: Int) {
            self.faults = faults
            self.number = number
        }

        deinit { faults.handlers.withLock { _ = $0.all.removeValue(forKey: number) } }
    }

    /// Lets a request pass, or throws its fault.
    func pass(writes: Bool = false) throws(TransportError) {
        var hasVanished = false
        let problem = state.withLock { state -> TransportError? in
            if !state.isGone {
                state.requests += 1
                if state.requests == state.vanishesAt {
                    state.isGone = true
                    hasVanished = true
                }
            }
            if state.isGone { return Self.gone }
            guard writes else { return nil }
            state.writes += 1
            guard let limit = state.fillsAt, state.writes >= limit else { return nil }
            state.hasFilled = true
            return TransportError(
                .noSpace, "The device has no room.", hint: "Free some space on the device and try again.")
        }
        if hasVanished {
            for handler in handlers.withLock({ Array($0.all.values) }) { handler() }
        }
        if let problem { throw problem }
    }

    /// The error of every request to a device that has disappeared.
    static var gone: TransportError { TransportError(.deviceGone, "The device was unplugged.") }
}
