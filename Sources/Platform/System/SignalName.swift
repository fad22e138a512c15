import Glibc

/// Names of signals that end programs, for messages.
package enum SignalName {
    private static let names: [Int32: String] = [
        SIGSEGV: "SIGSEGV, an access to memory that is not its own",
        SIGILL: "SIGILL, a trap such as Swift's for a broken precondition",
        SIGTRAP: "SIGTRAP, a trap such as Swift's for a broken precondition",
        SIGABRT: "SIGABRT, a call of abort()", SIGFPE: "SIGFPE, a division by zero",
        SIGBUS: "SIGBUS, an access to memory that is not there",
        SIGKILL: "SIGKILL, which the system also sends when it has no memory left", SIGSYS: "SIGSYS",
        SIGXFSZ: "SIGXFSZ, a file that is too large", SIGTERM: "SIGTERM", SIGPIPE: "SIGPIPE",
    ]

    /// The name of a signal and its usual meaning.
    package static func of(_ signal: Int32) -> String { names[signal] ?? "signal \(signal)" }
}
