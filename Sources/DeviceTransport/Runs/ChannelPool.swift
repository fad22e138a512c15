import Glibc
import Platform
import Synchronization

/// The AFC connections of one root. Each is lent to one operation at a time, opened when needed, and replaced when
/// lost.
final class ChannelPool: Sendable {
    private struct State {
        var idle: [AFCChannel] = []
        /// The number of open connections, lent or idle.
        var open = 0
        /// The number of connections being opened.
        var opening = 0
        /// The largest number of connections. It is lowered when the device refuses one.
        var limit: Int
        var refusedAt: ContinuousClock.Instant?
        /// Cancels connections being opened in the background that are no longer needed.
        var growth = Cancellation()
        var waiting: [WakeUpDescriptor] = []
        /// Threads that hold connections while they run a caller's closure.
        var holders: [pthread_t] = []
        var counters = TransferCounters()
    }

    private let session: DeviceSession
    private let root: DeviceRoot
    private let state: Mutex<State>

    init(_ session: DeviceSession, _ root: DeviceRoot, first: ServiceConnection) {
        self.session = session
        self.root = root
        var state = State(limit: session.options.maximumConnections)
        state.idle = [AFCChannel(first, session.options.trace)]
        state.open = 1
        state.counters.connectionsOpened = 1
        self.state = Mutex(state)
    }

    var counters: TransferCounters { state.withLock { $0.counters } }

    /// The largest number of connections that an operation can get.
    var limit: Int { state.withLock { $0.limit } }

    /// Whether an operation is waiting for a connection.
    var isWantedElsewhere: Bool { state.withLock { !$0.waiting.isEmpty } }

    func count(_ counters: TransferCounters) {
        state.withLock { state in
            state.counters.requests += counters.requests
            state.counters.roundTrips += counters.roundTrips
            state.counters.bytesSent += counters.bytesSent
            state.counters.bytesReceived += counters.bytesReceived
        }
    }

    /// A connection for exclusive use by the caller. Opens one if none is idle and the limit allows it, or else waits
    /// for one.
    func acquire(_ context: OperationContext) throws(TransportError) -> AFCChannel {
        while true {
            if let channel = takeIdle() { return channel }
            enum Step {
                case open
                case wait(WakeUpDescriptor)
            }
            let step = state.withLock { state -> Step in
                if state.open + state.opening < state.limit {
                    state.opening += 1
                    return .open
                }
                let wakeUp = WakeUpDescriptor()
                state.waiting.append(wakeUp)
                return .wait(wakeUp)
            }
            switch step {
            case .open:
                do throws(TransportError) {
                    return opened(try session.openConnection(root, context))
                } catch {
                    // If other connections are open, wait for one of those instead.
                    if !notOpened(error) { throw error }
                }
            case .wait(let wakeUp):
                defer { state.withLock { $0.waiting.removeAll { $0 === wakeUp } } }
                // A connection may have been released since the first attempt.
                if let channel = takeIdle() { return channel }
                var descriptors = [pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)]
                _ = try Waiting.wait(&descriptors, context, life: session.handle.life)
            }
        }
    }

    /// A connection outside the pool. It is closed with the last reference to it.
    func openExtra(_ context: OperationContext) throws(TransportError) -> AFCChannel {
        AFCChannel(try session.openConnection(root, context), session.options.trace)
    }

    /// An idle connection that still works; nil if there is none.
    func takeIdle() -> AFCChannel? {
        while true {
            guard let channel = state.withLock({ $0.idle.popLast() }) else { return nil }
            // Reads answers that were not awaited, and detects a closed connection.
            channel.receive()
            if channel.failure == nil { return channel }
            release(channel)
        }
    }

    /// Returns a connection to the pool. It is dropped if it failed, or if there are more than the limit.
    func release(_ channel: AFCChannel) {
        count(channel.takeCounters())
        let wakeUps = state.withLock { state in
            if channel.failure != nil {
                state.open -= 1
                state.counters.connectionsLost += 1
                // A lost connection leaves room for another.
                state.limit = session.options.maximumConnections
            } else if state.open > state.limit {
                state.open -= 1
            } else {
                state.idle.append(channel)
            }
            return state.waiting
        }
        for wakeUp in wakeUps { wakeUp.signal() }
    }

    /// Opens further connections in the background until there are `count`. `wakeUp` is signalled for each.
    func grow(to count: Int, _ wakeUp: WakeUpDescriptor) {
        let (missing, growth) = state.withLock { state -> (Int, Cancellation) in
            if let refusedAt = state.refusedAt, ContinuousClock.now - refusedAt < .seconds(30) {
                return (0, state.growth)
            }
            let missing = max(min(count, state.limit) - state.open - state.opening, 0)
            state.opening += missing
            return (missing, state.growth)
        }
        guard missing > 0 else { return }
        let started = SystemThread.detached(stackSize: SystemThread.smallStack) { [self] in
            open(missing, wakeUp, growth)
        }
        if !started { state.withLock { $0.opening -= missing } }
    }

    private func open(_ count: Int, _ wakeUp: WakeUpDescriptor, _ growth: Cancellation) {
        let context = OperationContext(cancellation: growth, limit: .seconds(15))
        let services: [Result<LockdownClient.StartedService, TransportError>]
        do throws(TransportError) {
            services = try session.start(Array(repeating: root.service, count: count), context)
        } catch {
            for _ in 0..<count { _ = notOpened(error) }
            return
        }
        for service in services {
            // Handshakes are slow, so each connection is opened on its own thread.
            let open: @Sendable () -> Void = { [self] in
                do throws(TransportError) {
                    let channel = opened(try session.vend(root, try service.get(), context))
                    let waiting = state.withLock { state in
                        // The pool was closed in the meantime, so the connection must not be added to it.
                        if growth.isCancelled || state.open > state.limit {
                            state.open -= 1
                        } else {
                            state.idle.append(channel)
                        }
                        return state.waiting
                    }
                    for wakeUp in waiting + [wakeUp] { wakeUp.signal() }
                } catch {
                    _ = notOpened(error)
                }
            }
            if !SystemThread.detached(stackSize: SystemThread.smallStack, open) { open() }
        }
    }

    private func opened(_ connection: ServiceConnection) -> AFCChannel {
        state.withLock { state in
            state.opening -= 1
            state.open += 1
            state.counters.connectionsOpened += 1
        }
        return AFCChannel(connection, session.options.trace)
    }

    /// Records a failed opening. Returns whether other connections remain to continue with.
    private func notOpened(_ error: TransportError) -> Bool {
        let (goesOn, waiting) = state.withLock { state -> (Bool, [WakeUpDescriptor]) in
            state.opening -= 1
            let others = state.open + state.opening
            guard others > 0, ![.cancelled, .timedOut, .deviceGone].contains(error.code) else {
                return (false, state.waiting)
            }
            state.limit = others
            state.refusedAt = .now
            state.counters.connectionsRefused += 1
            return (true, state.waiting)
        }
        for wakeUp in waiting { wakeUp.signal() }
        return goesOn
    }

    /// Begins an operation on this thread, which `leave` ends. Throws an error inside another operation, which could
    /// then wait for connections that this thread holds itself.
    func enter() throws(TransportError) {
        let thread = pthread_self()
        let isNested = state.withLock { state in
            if state.holders.contains(where: { pthread_equal($0, thread) != 0 }) { return true }
            state.holders.append(thread)
            return false
        }
        guard isNested else { return }
        throw TransportError(
            .busy, "Files cannot be used inside a closure passed to another file operation.",
            subject: root.description)
    }

    /// Ends the operation on this thread.
    func leave() {
        let thread = pthread_self()
        state.withLock { state in state.holders.removeAll { pthread_equal($0, thread) != 0 } }
    }

    /// Lowers the limit because the device is short of resources, and closes idle connections together with the files
    /// still open on them.
    func easeOff(to count: Int) {
        state.withLock { state in
            state.limit = max(1, min(state.limit, count))
            state.refusedAt = .now
        }
        closeIdle()
    }

    /// Closes idle connections and those that are being opened.
    func closeIdle() {
        let (idle, growth) = state.withLock { state in
            defer {
                state.open -= state.idle.count
                state.idle = []
                state.growth = Cancellation()
            }
            return (state.idle, state.growth)
        }
        growth.cancel()
        withExtendedLifetime(idle) {}
    }
}
