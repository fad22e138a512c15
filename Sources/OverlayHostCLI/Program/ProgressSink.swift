import OverlayHost

/// Where a run shows how far it is. Any thread.
protocol ProgressSink: Sendable {
    /// Shows the newest state.
    func update(_ line: ProgressLine)

    /// Wipes what was drawn, so that what follows begins on a clean line.
    func clear()

    /// Writes text to standard error at once, without tearing what is drawn there.
    func say(_ text: String)
}
