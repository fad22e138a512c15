/// Handlers that are called when something happens, each with a number that removes it. Its owner has a lock for it.
package struct HandlerTable: Sendable {
    /// What is called.
    package typealias Handler = @Sendable () -> Void

    private var handlers: [Int: Handler] = [:]
    private var last = 0

    /// A table without handlers.
    package init() {}

    /// The handlers, in no particular order. The owner calls them after it has given up its lock.
    package var all: [Handler] { Array(handlers.values) }

    /// Keeps a handler until it is removed by the number that is returned.
    package mutating func add(_ handler: @escaping Handler) -> Int {
        last += 1
        handlers[last] = handler
        return last
    }

    /// Forgets a handler, which may still be running.
    package mutating func remove(_ number: Int) { handlers[number] = nil }

    /// Forgets all handlers.
    package mutating func removeAll() { handlers = [:] }
}
