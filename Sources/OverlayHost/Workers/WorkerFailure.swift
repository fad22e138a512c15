import Glibc
import Synchronization

/// What a person is told when a worker did not do what it was asked to.
package struct WorkerFailure: Error {
    /// How the worker ended; nil if it did not, or could not even start.
    package var end: WorkerEnd?
    /// What happened, as the end of a sentence about the overlay.
    package var clause: String
    /// The method that was running.
    package var method: String?
    /// Whether nothing of the method has been done.
    package var isUntouched = false
    /// Whether recordings have been told.
    var isTold = false
    /// What it asked its host for last.
    package var lastService: String?
    /// The last that it wrote to its standard error.
    package var words: String?

    init(
        end: WorkerEnd? = nil, clause: String, method: String? = nil, lastService: String? = nil,
        words: String? = nil
    ) {
        self.end = end
        self.clause = clause
        self.method = method
        self.lastService = lastService
        self.words = words
    }

    /// The error for the caller of the method.
    func error(overlay: String) -> HostError {
        if isCancelled { return HostError(.cancelled, "The command was cancelled.", underlying: self) }
        var message = "The overlay \(overlay) \(clause)"
        if let method { message += ", in its method \(method)" }
        if let lastService { message += ", after calling \(lastService)" }
        message += "."
        if let words { message += " It wrote: \(words)" }
        return HostError(
            .overlayBroke, message, subject: overlay,
            hint: "The next command restarts it. Please report this to the overlay's author."
                + (Confinement.hint(for: words ?? "").map { " " + $0 } ?? ""),
            underlying: self)
    }

    /// Whether it ended because its command was cancelled, which is nobody's failure.
    var isCancelled: Bool {
        if case .killed(.cancelled, _) = end { true } else { false }
    }
}

/// Errors that a proxy leaves for the caller of a method on the same thread, because a status says less.
enum WorkerFailures {
    private static let left = Mutex<[UInt: HostError]>([:])

    static func leave(_ error: HostError) {
        left.withLock { $0[UInt(pthread_self())] = error }
    }

    /// Takes what was left on this thread.
    static func take() -> HostError? {
        left.withLock { $0.isEmpty ? nil : $0.removeValue(forKey: UInt(pthread_self())) }
    }
}

extension OverlayRefusal.Code {
    /// The overlay broke down while it was loaded.
    public static let crashed = Self(rawValue: "crashed")
    /// The overlay did not return while it was loaded.
    public static let hung = Self(rawValue: "hung")
    /// Its worker cannot be confined as far as the running kernel offers.
    public static let notConfined = Self(rawValue: "not_confined")
    /// The command was cancelled while the overlay was loaded, which says nothing of the overlay.
    public static let cancelled = Self(rawValue: "cancelled")
}
