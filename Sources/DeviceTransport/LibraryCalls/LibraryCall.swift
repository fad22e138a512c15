import Glibc
import Platform
import Synchronization

/// Calls of libimobiledevice that block and cannot be cancelled.
///
/// Each runs on a thread of its own while the caller waits for its end, a cancel, a deadline or the loss of
/// the device, whichever comes first. A call that is given up still runs until the library returns, and its
/// result is dropped. The library limits every call. The number of calls given up at a time is bounded for each device.
enum LibraryCall {
    static func run<Value: Sendable>(
        _ context: OperationContext, life: DeviceLifetime?,
        _ body: @escaping @Sendable () -> Result<Value, TransportError>
    ) throws(TransportError) -> Value {
        try context.check()
        if let life, life.isGone { throw .gone(life) }
        try DescriptorGuard.check()
        let abandoned = life?.abandonedCalls ?? .aboutNone
        try abandoned.check()
        TransportRuntime.prepare()

        let call = Call<Value>()
        let started = SystemThread.detached(stackSize: SystemThread.smallStack) {
            let result = body()
            if call.finish(result) { abandoned.end() }
        }
        guard started else {
            throw TransportError(posix: EAGAIN, doing: "Starting a thread")
        }
        var descriptors = [pollfd(fd: call.done.descriptor, events: Int16(POLLIN), revents: 0)]
        do throws(TransportError) {
            let limit = ContinuousClock.now.advanced(by: context.silenceLimit)
            // Without a free descriptor the wait cannot notice the end and returns every 20 ms instead.
            repeat {
                guard try Waiting.wait(&descriptors, context, life: life, until: limit) else {
                    throw .silence
                }
            } while !call.done.isRaised
        } catch {
            if call.giveUp() { abandoned.begin() }
            throw error
        }
        guard let result = call.take() else {
            throw TransportError(.internalFailure, "A call to the device ended without a result.")
        }
        return try result.get()
    }

    private final class Call<Value: Sendable>: Sendable {
        private enum State {
            case running
            case finished(Result<Value, TransportError>)
            case givenUp
        }

        private let state = Mutex(State.running)
        let done = Signal()

        /// Keeps the result for the caller, or drops it; returns whether the call had been given up.
        func finish(_ result: Result<Value, TransportError>) -> Bool {
            let wasGivenUp = state.withLock { state in
                if case .givenUp = state { return true }
                state = .finished(result)
                return false
            }
            done.raise()
            return wasGivenUp
        }

        /// Returns whether the call is still running, and so was given up.
        func giveUp() -> Bool {
            state.withLock { state in
                let wasRunning = if case .running = state { true } else { false }
                state = .givenUp
                return wasRunning
            }
        }

        func take() -> Result<Value, TransportError>? {
            state.withLock { if case .finished(let result) = $0 { result } else { nil } }
        }
    }
}
