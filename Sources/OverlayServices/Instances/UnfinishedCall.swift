/// A call of an overlay that still runs when its command is cancelled.
public struct UnfinishedCall: Sendable {
    /// The overlay's id.
    public var overlay: String
    /// The function that runs, such as `books`.
    public var method: String
    /// How long it may continue; nil: nothing ends it, because it runs in this process.
    public var limit: Duration?

    /// A call that still runs.
    package init(overlay: String, method: String, limit: Duration?) {
        (self.overlay, self.method, self.limit) = (overlay, method, limit)
    }
}
