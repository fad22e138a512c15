import Glibc
import Synchronization

/// Threads that help a run to encrypt and decrypt: each serves one of its connections at a time.
///
/// A connection that is handed over belongs to these threads until it is collected; all decisions stay with the run's thread,
/// which also serves connections itself rather than wait. Threads are started when there is a use for them, and end with
/// this object.
final class EncryptionThreads {
    /// Bytes to be encrypted or decrypted that are worth another thread's attention.
    private static let worth = 64 << 10
    /// More wins nothing: then the device, or the daemon before it, is what is waited for.
    private static let largest = 3

    private let handover: Handover
    private let processors: Int
    private var members = 0

    /// Starts no thread yet; `wakeUp` is signalled when a connection can be collected. With one processor it is of no use.
    init(_ wakeUp: WakeUpDescriptor, processors: Int) {
        handover = Handover(wakeUp)
        self.processors = processors
    }

    deinit { handover.close(members) }

    /// Whether so much is at hand on a connection that a thread should be asked.
    func isHeavy(_ channel: AFCChannel) -> Bool {
        processors > 1 && channel.bytesAtHand >= Self.worth
    }

    /// Hands connections over. Without threads they wait until they are taken back.
    func hand(_ channels: [AFCChannel]) {
        while members < min(channels.count, Self.largest),
            PlainThread.start({ [handover] in handover.help() })
        {
            members += 1
        }
        handover.put(channels, callers: min(channels.count, members))
    }

    /// A connection that was handed over and that nobody serves yet; the run serves it then.
    func takeBack() -> AFCChannel? { handover.takeBack() }

    /// Connections that were served since the last call.
    func collect() -> [AFCChannel] { handover.collect() }

    /// Waits until these threads have no connection any more.
    func recall() {
        while takeBack() != nil {}
        handover.waitUntilIdle()
        _ = collect()
    }

    /// Where the connections change hands. A connection is with one thread at a time: the member that took it from here, or
    /// the run's thread before it is put here and after it is taken from here.
    private final class Handover: Sendable {
        private struct State {
            var waiting: [AFCChannel] = []
            var beingServed = 0
            var served: [AFCChannel] = []
            var isClosed = false
        }

        private let state = Mutex(State())
        private let called = Semaphore()
        private let wakeUp: WakeUpDescriptor

        init(_ wakeUp: WakeUpDescriptor) { self.wakeUp = wakeUp }

        func put(_ channels: [AFCChannel], callers: Int) {
            state.withLock { $0.waiting += channels }
            for _ in 0..<callers { called.signal() }
        }

        func takeBack() -> AFCChannel? { state.withLock { $0.waiting.popLast() } }

        func collect() -> [AFCChannel] {
            state.withLock { state in
                defer { state.served = [] }
                return state.served
            }
        }

        func waitUntilIdle() {
            while state.withLock({ $0.beingServed > 0 }) {
                // Serving never blocks, so this is short.
                var descriptor = pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)
                poll(&descriptor, 1, 1)
                wakeUp.reset()
            }
        }

        func close(_ members: Int) {
            state.withLock { $0.isClosed = true }
            for _ in 0..<members { called.signal() }
        }

        func help() {
            while true {
                called.wait()
                if state.withLock({ $0.isClosed }) { return }
                while let channel = next() {
                    channel.serveForRun()
                    state.withLock { state in
                        state.beingServed -= 1
                        state.served.append(channel)
                    }
                    wakeUp.signal()
                }
            }
        }

        private func next() -> AFCChannel? {
            state.withLock { state in
                guard !state.waiting.isEmpty else { return nil }
                state.beingServed += 1
                return state.waiting.removeFirst()
            }
        }
    }
}
