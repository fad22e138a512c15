import Foundation
import Synchronization

/// A value that one thread leaves for another.
final class Box<Value: Sendable>: Sendable {
    private let stored = Mutex<Value?>(nil)
    var value: Value? { stored.withLock { $0 } }
    func set(_ value: Value?) { stored.withLock { $0 = value } }
}

/// Runs `body` on a thread of its own.
func runOnThread(_ body: @escaping @Sendable () -> Void) { Thread.detachNewThread(body) }
