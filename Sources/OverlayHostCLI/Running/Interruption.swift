import DeviceTransport
import Glibc
import OverlayHost
import Platform
import Synchronization

/// Turns Ctrl-C and the wish to terminate into a cancelled operation, so that the device is left consistent.
///
/// The signals are blocked in every thread and taken by one thread that waits for them. A further Ctrl-C ends the program
/// at once; the other signals do not, for a closing terminal and timeout(1) send theirs twice.
final class Interruption: Sendable {
    /// Set when the first signal arrives.
    let cancellation = Cancellation()
    private let received = Mutex<Int32?>(nil)
    private let last = Mutex<@Sendable () -> Void>({})

    /// Must be called on the main thread before any other thread is made: threads inherit the blocked signals.
    static func install() -> Interruption {
        let interruption = Interruption()
        // A reader of our output, or a device, that goes away is an error at the write, not the end of the program.
        _ = Glibc.signal(SIGPIPE, SIG_IGN)
        var signals = Self.awaited()
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // Without a thread that waits for them, signals end the program as usual.
        if !SystemThread.detached({ interruption.wait() }) { pthread_sigmask(SIG_UNBLOCK, &signals, nil) }
        return interruption
    }

    /// Has `body` called when a further Ctrl-C ends the program at once; it takes the place of the one before.
    func beforeEndingAtOnce(_ body: @escaping @Sendable () -> Void) { last.withLock { $0 = body } }

    /// The signal that arrived first, if one did.
    var signal: Int32? { received.withLock { $0 } }

    /// What ends the program. Under nohup(1) the end of the terminal does not: a signal that is waited for would arrive
    /// although it is ignored.
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
        while true {
            var number: Int32 = 0
            guard sigwait(&signals, &number) == 0 else { continue }
            let isSecond = received.withLock { first in
                defer { if first == nil { first = number } }
                return first != nil
            }
            if isSecond, number == SIGINT {
                last.withLock { $0 }()
                _exit(130)
            }
            cancellation.cancel()
        }
    }
}

/// The note after Ctrl-C for a command that does not end at once.
enum InterruptionText {
    /// What is waited for, how long that may take, and what ends it.
    ///
    /// - Parameter isForBuild: whether a new build has ended the command, so that no Ctrl-C came before.
    static func waiting(for call: UnfinishedCall, isForBuild: Bool = false) -> String {
        let name = TerminalText.sanitized(call.overlay)
        let limit =
            call.limit.map { "at most \($0.components.seconds) seconds" }
            ?? "with no time limit, because it runs in this process"
        return "Waiting for the overlay \(name) to finish \(call.method), \(limit)."
            + (isForBuild ? "" : " Press Ctrl-C again to stop at once.")
    }
}
