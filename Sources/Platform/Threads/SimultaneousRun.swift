import Synchronization

/// Work that blocks, on as many threads as there are pieces of it.
///
/// For devices, each of which is waited for: threads of a pool as large as the processor would wait one after the other.
package enum SimultaneousRun {
    /// Bytes of stack of each thread, as the main thread has.
    package static let stackSize = 8 << 20

    /// Calls `body` with every number below `count`, each on a thread of its own, and returns when all have ended.
    ///
    /// - Parameters:
    ///   - stackSize: bytes of stack of each thread.
    ///   - withoutThread: called for what the system has no thread for, before this waits for anything; nil lets it run on the
    ///     caller's thread, one after the other, which is for work that does not wait for that of others.
    package static func run(
        _ count: Int, stackSize: Int = stackSize, withoutThread: ((Int) -> Void)? = nil,
        _ body: @escaping @Sendable (Int) -> Void
    ) {
        guard count > 1 else {
            if count == 1 { body(0) }
            return
        }
        var threads: [SystemThread] = []
        var left: [Int] = []
        for index in 0..<count {
            if let thread = SystemThread(stackSize: stackSize, { body(index) }) {
                threads.append(thread)
            } else {
                left.append(index)
            }
        }
        for index in left { (withoutThread ?? body)(index) }
        for thread in threads { thread.join() }
    }

    /// What `body` gives for each element, in their order.
    ///
    /// - Parameter stackSize: bytes of stack of each thread.
    package static func map<Element: Sendable, Value: Sendable>(
        _ elements: [Element], stackSize: Int = stackSize, _ body: @escaping @Sendable (Element) -> Value
    ) -> [Value] {
        let slots = Slots<Value>()
        run(elements.count, stackSize: stackSize) { index in slots.set(index, body(elements[index])) }
        return slots.ordered(elements.count)
    }

    /// Runs `second` on a thread of its own and `first` on the caller's; returns when both have ended.
    ///
    /// - Parameter stackSize: bytes of stack of the thread.
    package static func both<First, Second: Sendable>(
        stackSize: Int = stackSize, _ first: () -> First, _ second: @escaping @Sendable () -> Second
    ) -> (First, Second) {
        let result = Monitor<Second?>(nil)
        let isStarted = SystemThread.detached(stackSize: stackSize) {
            let value = second()
            result.change { $0 = value }
        }
        guard isStarted else { return (first(), second()) }
        let value = first()
        return (value, result.wait { $0 })
    }

    private final class Slots<Value: Sendable>: Sendable {
        private let values = Mutex<[Int: Value]>([:])

        func set(_ index: Int, _ value: Value) { values.withLock { $0[index] = value } }

        func ordered(_ count: Int) -> [Value] {
            values.withLock { values in (0..<count).compactMap { values[$0] } }
        }
    }
}
