import Synchronization

/// Runs blocking work with a thread for each piece.
///
/// This is for work that waits for devices: with a thread pool of the size of the processor, some pieces would wait
/// for others.
package enum SimultaneousRun {
    /// Bytes of stack for each thread, as many as the main thread has.
    package static let stackSize = 8 << 20

    /// Calls `body` with every number below `count`, each on its own thread, and returns when all have ended.
    ///
    /// - Parameters:
    ///   - stackSize: bytes of stack for each thread.
    ///   - withoutThread: called for each number for which the system has no thread, before this waits for the
    ///     others. With nil, such calls of `body` run on the caller's thread one after the other, so `body` must not
    ///     wait for other calls.
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

    /// The results of `body` for all elements, in their order.
    ///
    /// - Parameter stackSize: bytes of stack for each thread.
    package static func map<Element: Sendable, Value: Sendable>(
        _ elements: [Element], stackSize: Int = stackSize, _ body: @escaping @Sendable (Element) -> Value
    ) -> [Value] {
        let slots = Slots<Value>()
        run(elements.count, stackSize: stackSize) { index in slots.set(index, body(elements[index])) }
        return slots.ordered(elements.count)
    }

    /// Runs `second` on a new thread and `first` on the caller's; returns when both have ended.
    ///
    /// - Parameter stackSize: bytes of stack for the thread.
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
