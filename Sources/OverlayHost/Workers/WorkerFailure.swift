import Glibc
import Synchronization

/// What a person is told when a worker did not do what it was asked to.
struct WorkerFailure: Error {
    /// What happened, as the end of a sentence about the overlay.
    var clause: String
    /// The method that was running.
    var method: String?
    /// What it asked its host for last.
    var lastService: String?
    /// The last that it wrote to its standard error.
    var words: String?

    init(clause: String, method: String? = nil, lastService: String? = nil, words: String? = nil) {
        self.clause = clause
        self.method = method
        self.lastService = lastService
        self.words = words
    }

    /// The error for the caller of the method.
    func error(overlay: String) -> HostError {
        var message = "The overlay \(overlay) \(clause)"
        if let method { message += ", in its method \(method)" }
        if let lastService { message += ", after it had called \(lastService)" }
        message += "."
        if let words { message += " It wrote last: \(words)" }
        return HostError(
            .overlayBroke, message, subject: overlay,
            hint: "The next command starts it anew. Please report this to the author of the overlay.")
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
}
