import CSystemShims
import Glibc

/// A counter in memory that two processes share: one side increments it, the other sees without asking that something
/// has changed.
///
/// An answer, such as that nothing is cancelled, holds as long as the counter stands where it stood before the question. So the
/// side that changes the answer changes it first and moves the counter then.
///
/// Unchecked: the word is only ever used by atomic instructions, and stays mapped as long as this object.
package final class SharedCounter: @unchecked Sendable {
    private let word: UnsafePointer<UInt64>
    private let own: UnsafeMutablePointer<UInt64>?

    /// A counter of this side, and the descriptor by which another program can see it, which is the caller's; nil when the
    /// system gives no memory for it.
    ///
    /// - Parameter theirs: whether the other program moves it, too.
    package static func make(theirs: Bool = false) -> (changeCounter: SharedCounter, descriptor: Int32)? {
        var descriptor: Int32 = -1
        guard let word = shim_shared_word(&descriptor, theirs ? 1 : 0) else { return nil }
        return (SharedCounter(own: word), descriptor)
    }

    private init(own: UnsafeMutablePointer<UInt64>) {
        self.own = own
        word = UnsafePointer(own)
    }

    /// The counter of another program; nil if there is none behind the descriptor, which stays the caller's.
    ///
    /// - Parameter theirs: whether this program moves it, too.
    package init?(descriptor: Int32, theirs: Bool = false) {
        guard let word = shim_map_word(descriptor, theirs ? 1 : 0) else { return nil }
        self.word = UnsafePointer(word)
        own = theirs ? word : nil
    }

    deinit { shim_unmap_word(word) }

    /// Moves the counter, if this side may. Any thread.
    package func increment() { own.map { shim_word_add($0) } }

    /// Where the counter stands. Any thread.
    package var count: UInt64 { shim_word(word) }

    /// Keeps beside the counter how much memory this process had taken of `limit` bytes, from now on, should it crash. For the
    /// thread that may crash for want of stack; only once, by the side that the counter is not of.
    package func tellMemoryWhenCrashing(limit: UInt64) { own.map { shim_tell_memory($0 + 1, limit) } }

    /// What the other program's memory came to when it crashed, as it told; 0 if it has not. Any thread.
    package var memoryWhenCrashed: UInt64 { shim_word(word + 1) }
}
