import DeviceTransport
import Glibc
import OverlayHost
import Platform
import Synchronization

/// Turns Ctrl-C and termination signals into a cancelled operation, so that the device is left in a consistent state.
///
/// The signals are blocked in every thread, and one thread waits for them. A second Ctrl-C ends the program
/// immediately. Of other signals only a third one does, because a closing terminal and timeout(1) send theirs twice.
final class Interruption: Sendable {
    /// Cancelled when the first signal arrives.
    let cancellation = Cancellation()
    private let received = Mutex<Int32?>(nil)
    private let last = Mutex<@Sendable () -> Void>({})

    /// Call on the main thread before any other thread is created, because threads inherit the blocked signals.
    static func install() -> Interruption {
        let interruption = Interruption()
        // If the reader of the output or a device disappears, the write fails instead of ending the program.
        _ = Glibc.signal(SIGPIPE, SIG_IGN)
        var signals = Self.awaited()
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // If no thread waits for them, signals end the program as usual.
        if !SystemThread.detached({ interruption.wait() }) { pthread_sigmask(SIG_UNBLOCK, &signals, nil) }
        return interruption
    }

    /// Sets a function that is called when a second Ctrl-C ends the program; it replaces an earlier one.
    func beforeEndingAtOnce(_ body: @escaping @Sendable () -> Void) { last.withLock { $0 = body } }

    /// The first signal that arrived; nil if there is none.
    var signal: Int32? { received.withLock { $0 } }

    /// The signals that end the program. Under nohup(1) the end of the terminal does not: a signal that is waited for
    /// would arrive even if it is ignored.
    private static func awaited() -> sigset_t {
        var action = sigaction()
        sigaction(SIGHUP, nil, &action)
        let isHangupIgnored =
            unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] + (isHangupIgnored ? [] : [SIGHUP]) { sigaddset(&signals, number) }
        return signals
    }

    private func wait() {
        var signals = Self.awaited()
        var count = 0
        while true {
            var number: Int32 = 0
            guard sigwait(&signals, &number) == 0 else { continue }
            count += 1
            received.withLock { $0 = $0 ?? number }
            if count > (number == SIGINT ? 1 : 2) {
                last.withLock { $0 }()
                _exit(130)
            }
            cancellation.cancel()
        }
    }
}

/// The note after Ctrl-C if a command does not end at once.
enum InterruptionText {
    /// Says what is waited for, how long that may take, and how to end it.
    ///
    /// - Parameter isForBuild: whether a new build ended the command, so that there was no Ctrl-C before.
    static func waiting(for call: UnfinishedCall, isForBuild: Bool = false) -> String {
        let name = TerminalText.sanitized(call.overlay)
        let limit =
            call.limit.map { "at most \($0.components.seconds) seconds" }
            ?? "with no time limit, because it runs in this process"
        return "Waiting for the overlay \(name) to \(call.purpose), \(limit)."
            + (isForBuild ? "" : " Press Ctrl-C again to stop at once.")
    }
}
