import Platform

/// Threads for what blocks in this module.
enum PlainThread {
    /// Runs `body` on a new detached thread. Returns false when the system has no thread left.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        SystemThread.detached(stackSize: 1 << 20, body)
    }
}
