import Platform

/// How a worker came to its end.
package enum WorkerEnd: Sendable, Equatable {
    /// Killed by a signal that its host did not send, with so many bytes of memory taken, if it could tell.
    case signal(Int32, memory: UInt64)
    /// It called `exit`.
    case exit(Int32)
    /// The host ended it: why.
    case killed(Cause, String)

    /// Why the host ends a worker.
    package enum Cause: String, Sendable {
        /// It sent something that is not a message.
        case garbage
        /// It closed its connection.
        case closed
        /// It did not end when it was asked to.
        case shutdownTimeout
        /// It computed for too long without asking for anything.
        case silence
        /// It passed the time limit of its method.
        case deadline
        /// It went on after its method had been cancelled.
        case afterCancel
        /// The command that it serves was cancelled, and it has nothing to leave consistent.
        case cancelled
    }

    /// From what `waitpid` says.
    package init(status: Int32, memory: UInt64, reason: (Cause, String)?) {
        if let reason {
            self = .killed(reason.0, reason.1)
        } else if status & 0x7F == 0 {
            self = .exit((status >> 8) & 0xFF)
        } else {
            self = .signal(status & 0x7F, memory: memory)
        }
    }

    /// What happened, as the end of a sentence about the overlay.
    package func clause(memory: UInt64) -> String {
        switch self {
        case .killed(_, let reason): return reason
        case .exit(let code): return "exited with status \(code)"
        case .signal(let signal, let taken):
            let crash = "crashed with \(SignalName.of(signal))"
            // A program that gets no more memory mostly ends by a trap.
            guard taken > memory / 2 else { return crash }
            return crash + " after using \(taken >> 20) of its \(memory >> 20) MiB of memory"
        }
    }
}
