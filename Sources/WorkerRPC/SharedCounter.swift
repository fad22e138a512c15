import CSystemShims
import Glibc

/// A counter in memory that two processes share: when one side increments it, the other sees without asking that
/// something has changed.
///
/// An answer, such as that nothing is cancelled, is valid as long as the counter has the value it had before the
/// question. So a side that changes the answer makes the change first and then increments the counter.
///
/// Unchecked: the word is used only by atomic instructions, and is mapped as long as this object exists.
package final class SharedCounter: @unchecked Sendable {
    private let word: UnsafePointer<UInt64>
    private let own: UnsafeMutablePointer<UInt64>?

    /// A counter of this side, and a descriptor for another program, which the caller owns. Nil if the system does
    /// not provide the memory.
    ///
    /// - Parameter theirs: whether the other program increments it too.
    package static func make(theirs: Bool = false) -> (changeCounter: SharedCounter, descriptor: Int32)? {
        var descriptor: Int32 = -1
        guard let word = shim_shared_word(&descriptor, theirs ? 1 : 0) else { return nil }
        return (SharedCounter(own: word), descriptor)
    }

    private init(own: UnsafeMutablePointer<UInt64>) {
        self.own = own
        word = UnsafePointer(own)
    }

    /// The counter of another program; nil if the descriptor does not contain one. The caller keeps the descriptor.
    ///
    /// - Parameter theirs: whether this program increments it too.
    package init?(descriptor: Int32, theirs: Bool = false) {
        guard let word = shim_map_word(descriptor, theirs ? 1 : 0) else { return nil }
        self.word = UnsafePointer(word)
        own = theirs ? word : nil
    }

    deinit { shim_unmap_word(word) }

    /// Increments the counter, if this side may. Any thread.
    package func increment() { own.map { shim_word_add($0) } }

    /// The present value. Any thread.
    package var count: UInt64 { shim_word(word) }

    /// From now on, if this process crashes, stores beside the counter how much memory it had used, of `limit` bytes.
    /// Call once, on the thread that may crash for lack of stack, and on the side that did not make the counter.
    package func tellMemoryWhenCrashing(limit: UInt64) { own.map { shim_tell_memory($0 + 1, limit) } }

    /// The memory of the other program when it crashed, as it reported; 0 if it has not. Any thread.
    package var memoryWhenCrashed: UInt64 { shim_word(word + 1) }
}
