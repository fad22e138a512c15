import OverlayHost

/// What a person is told who has interrupted a command that does not end at once.
enum InterruptionText {
    /// What is waited for, how long that may take, and what ends it.
    static func waiting(for call: UnfinishedCall) -> String {
        let name = TerminalText.sanitized(call.overlay)
        let limit =
            call.limit.map { "at most \($0.components.seconds) seconds" }
            ?? "with no time limit, because it runs in this process"
        return "Waiting for the overlay \(name) to finish \(call.method), \(limit). Press Ctrl-C "
            + "again to stop at once."
    }
}
