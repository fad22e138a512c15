import Glibc
import Platform
import Synchronization

/// Detached threads for calls that block.
enum PlainThread {
    /// Runs `body` on a new detached thread. Returns false when the system has no thread left.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        SystemThread.detached(stackSize: 1 << 20, body)
    }
}

/// Blocking pieces of work at the same time.
enum Concurrently {
    /// Runs `second` on a thread of its own and `first` on the caller's; returns when both have ended.
    static func run<First, Second: Sendable>(
        _ first: () -> First, _ second: @escaping @Sendable () -> Second
    ) -> (First, Second) {
        let box = Box<Second>()
        let started = PlainThread.start { box.fill(second()) }
        guard started else { return (first(), second()) }
        let result = first()
        return (result, box.wait())
    }

    /// Runs `body` for each number, all at the same time; the results in the order of the numbers.
    static func map<Value: Sendable>(
        _ numbers: Range<Int>, _ body: @escaping @Sendable (Int) -> Value
    ) -> [Value] {
        guard numbers.count > 1 else { return numbers.map(body) }
        let middle = numbers.lowerBound + numbers.count / 2
        let (first, second) = run(
            { map(numbers.lowerBound..<middle, body) }, { map(middle..<numbers.upperBound, body) })
        return first + second
    }

    private final class Box<Value: Sendable>: Sendable {
        private let value = Mutex<Value?>(nil)
        private let done = Signal()

        func fill(_ result: Value) {
            value.withLock { $0 = result }
            done.raise()
        }

        func wait() -> Value {
            while true {
                if let result = value.withLock({ $0 }) { return result }
                var descriptor = pollfd(fd: done.descriptor, events: Int16(POLLIN), revents: 0)
                poll(&descriptor, 1, descriptor.fd < 0 ? 20 : -1)
            }
        }
    }
}
