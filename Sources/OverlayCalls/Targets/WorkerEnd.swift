import Platform

/// The way in which a worker ended.
package enum WorkerEnd: Sendable, Equatable {
    /// A signal that the host did not send, with the size of the worker's memory in bytes if known.
    case signal(Int32, memory: UInt64)
    /// A call of `exit`.
    case exit(Int32)
    /// The host ended the worker, with the reason.
    case killed(Cause, String)

    /// The cause for which the host ended a worker.
    package enum Cause: String, Sendable {
        /// The worker sent data that is not a message.
        case garbage
        /// The worker closed its connection.
        case closed
        /// The worker did not end when requested.
        case shutdownTimeout
        /// The worker computed for too long without calling the host.
        case silence
        /// The worker exceeded the time limit of its method.
        case deadline
        /// The worker continued after its method had been cancelled.
        case afterCancel
        /// The command was cancelled, and the worker does not use anything that must remain consistent.
        case cancelled
    }

    /// Creates the value from a status of `waitpid`.
    package init(status: Int32, memory: UInt64, reason: (Cause, String)?) {
        if let reason {
            self = .killed(reason.0, reason.1)
        } else if status & 0x7F == 0 {
            self = .exit((status >> 8) & 0xFF)
        } else {
            self = .signal(status & 0x7F, memory: memory)
        }
    }

    /// A clause that completes a sentence about the overlay.
    package func clause(memory: UInt64) -> String {
        switch self {
        case .killed(_, let reason): return reason
        case .exit(let code): return "exited with status \(code)"
        case .signal(let signal, let taken):
            let crash = "crashed with \(SignalName.of(signal))"
            // A program that cannot allocate memory usually ends with a trap.
            guard taken > memory / 2 else { return crash }
            return crash + " after using \(taken >> 20) of its \(memory >> 20) MiB of memory"
        }
    }
}
