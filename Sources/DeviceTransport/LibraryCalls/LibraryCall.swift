import Glibc
import Platform
import Synchronization

/// Runs libimobiledevice calls that block and cannot be cancelled.
///
/// Each call runs on its own thread while the caller waits for its end, a cancellation, a deadline or the loss of the
/// device. An abandoned call continues until the library returns, and its result is dropped. The library limits the
/// duration of every call. The number of abandoned calls is limited for each device.
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
            // If no descriptor is free, the wait cannot detect the end. It then returns every 20 ms.
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

        /// Stores the result for the caller, or drops it. Returns whether the call was abandoned.
        func finish(_ result: Result<Value, TransportError>) -> Bool {
            let wasGivenUp = state.withLock { state in
                if case .givenUp = state { return true }
                state = .finished(result)
                return false
            }
            done.raise()
            return wasGivenUp
        }

        /// Abandons the call if it is still running. Returns whether it was.
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
