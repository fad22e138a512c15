/// The failure of a call because the worker ended or could not be started.
package struct WorkerFailure: Error {
    /// The way in which the worker ended; nil if it did not end, or was not started.
    package var end: WorkerEnd?
    /// The predicate of a sentence about the overlay, such as "crashed with SIGSEGV".
    package var clause: String
    /// The method that was running.
    package var method: String?
    /// Whether it is certain that the method has not begun.
    package var isUntouched = false
    /// Whether recordings contain the failure.
    package var isRecorded = false
    /// The last service function that the overlay called.
    package var lastService: String?
    /// The last output of the overlay to its standard error.
    package var words: String?

    /// Creates a failure of the overlay's worker.
    package init(
        end: WorkerEnd? = nil, clause: String, method: String? = nil, lastService: String? = nil,
        words: String? = nil
    ) {
        self.end = end
        self.clause = clause
        self.method = method
        self.lastService = lastService
        self.words = words
    }

    /// A description in complete sentences.
    package func message(overlay: String) -> String {
        if isCancelled { return "The command was cancelled." }
        var message = "The overlay \(overlay) \(clause)"
        if let method { message += ", in its method \(method)" }
        if let lastService { message += ", after calling \(lastService)" }
        message += "."
        if let words { message += " It wrote: \(words)" }
        return message
    }

    /// Whether the command was cancelled, so that this is not an error.
    package var isCancelled: Bool {
        if case .killed(.cancelled, _) = end { true } else { false }
    }
}
