/// Handlers that are called on an event, each with a number to remove it. The owner provides the lock.
package struct HandlerTable: Sendable {
    /// A handler.
    package typealias Handler = @Sendable () -> Void

    private var handlers: [Int: Handler] = [:]
    private var last = 0

    /// Creates a table without handlers.
    package init() {}

    /// The handlers, in no particular order. The owner calls them after releasing its lock.
    package var all: [Handler] { Array(handlers.values) }

    /// Adds a handler and returns the number that removes it.
    package mutating func add(_ handler: @escaping Handler) -> Int {
        last += 1
        handlers[last] = handler
        return last
    }

    /// Removes a handler, which may still be running.
    package mutating func remove(_ number: Int) { handlers[number] = nil }

    /// Removes all handlers.
    package mutating func removeAll() { handlers = [:] }
}
