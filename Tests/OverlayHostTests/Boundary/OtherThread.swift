import Foundation
import Synchronization

/// A value that one thread passes to another.
final class Box<Value: Sendable>: Sendable {
    private let stored = Mutex<Value?>(nil)
    var value: Value? { stored.withLock { $0 } }
    func set(_ value: Value?) { stored.withLock { $0 = value } }
}

/// Runs `body` on another thread.
func runOnThread(_ body: @escaping @Sendable () -> Void) { Thread.detachNewThread(body) }
