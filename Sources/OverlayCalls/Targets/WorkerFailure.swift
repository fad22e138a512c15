/// An overlay did not do what it was called for, because its worker ended or could not be started.
package struct WorkerFailure: Error {
    /// How the worker ended; nil if it did not, or could not even start.
    package var end: WorkerEnd?
    /// What happened, as the predicate of a sentence about the overlay: "crashed with SIGSEGV".
    package var clause: String
    /// The method that was running.
    package var method: String?
    /// Whether nothing of the method has been done.
    package var isUntouched = false
    /// Whether recordings have it.
    package var isRecorded = false
    /// The service function that it called last.
    package var lastService: String?
    /// The last that it wrote to its standard error.
    package var words: String?

    /// A failure of the overlay's worker.
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

    /// All of it in full sentences.
    package func message(overlay: String) -> String {
        if isCancelled { return "The command was cancelled." }
        var message = "The overlay \(overlay) \(clause)"
        if let method { message += ", in its method \(method)" }
        if let lastService { message += ", after calling \(lastService)" }
        message += "."
        if let words { message += " It wrote: \(words)" }
        return message
    }

    /// Whether its command was cancelled, so that nothing has failed.
    package var isCancelled: Bool {
        if case .killed(.cancelled, _) = end { true } else { false }
    }
}
