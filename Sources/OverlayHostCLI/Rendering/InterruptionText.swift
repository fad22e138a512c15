import OverlayHost

/// What a person is told who has interrupted a command that does not end at once.
enum InterruptionText {
    /// What is waited for, how long that may take, and what ends it.
    static func waiting(for call: UnfinishedCall) -> String {
        let name = TerminalText.sanitized(call.overlay)
        let limit =
            call.limit.map { "\($0.components.seconds) seconds at most" }
            ?? "however long that takes, because it runs in this program"
        return "Waiting for the overlay \(name) to come back from \(call.method), \(limit). "
            + "Another Ctrl-C ends the command at once."
    }
}
