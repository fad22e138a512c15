import Diagnostics
import Glibc
import OverlayABI
import OverlayCalls
import Synchronization

/// One side of an RPC connection between two processes, which call each other's tables as if they were local.
///
/// It has two sessions. One thread on each side owns the main session: a call runs on the other side's thread of that
/// session, which may call back while it runs, and so on. The side session serves functions that any thread may call.
///
/// Unchecked: `state` protects everything that changes.
package final class RPCConnection: @unchecked Sendable {
    /// Events that a side can observe.
    package struct Events: Sendable {
        /// Called before the other side's call of a function runs, on the thread that will run it.
        package var willServe: (@Sendable (FunctionPlan) -> Void)?
        /// The other side reports a value that it could not send because it breaks the contract.
        package var breach: (@Sendable (BreachKind, String) -> Void)?
        /// The main session starts (true) or stops (false) waiting for the other side.
        package var waits: (@Sendable (Bool) -> Void)?
        /// The connection has become unusable; called on the thread that notices this.
        package var broken: (@Sendable (WorkerRPCError) -> Void)?

        /// Creates events without listeners.
        package init() {}
    }

    private struct State {
        var nextNumber = PointerTag.firstTable
        /// Tables and sinks of this side, by number.
        var tables: [UInt64: Callee] = [:]
        var tableNumbers: [UInt: UInt64] = [:]
        var sinks: [UInt64: Callee] = [:]
        var instances: [UInt64: UInt] = [:]
        var instanceNumbers: [UInt: UInt64] = [:]
        /// Tables of the other side.
        var proxies: [UInt64: UInt] = [:]
        var imported: [UInt64: UInt] = [:]
        var kept: [ReceivedMessage] = []
    }

    /// A table or sink of this side. Unchecked: an address that is used while its owner keeps it valid.
    private struct Callee: @unchecked Sendable {
        let pointer: UnsafeRawPointer
        let plan: RecordPlan
    }

    /// A function of this side with its context.
    struct Endpoint {
        let code: UnsafeRawPointer
        let context: UInt
    }

    package let limits: WorkerRPCLimits
    /// The main session.
    package private(set) var main: RPCSession!
    /// The side session; nil for a connection without one.
    package private(set) var side: RPCSession?
    let events: Events
    /// Whether values of this side that break the contract are reported to the other side; true in a worker.
    let reportsBreaches: Bool
    private let sideTurn: UnsafeMutablePointer<pthread_mutex_t>
    private let state = Mutex(State())
    /// The other side's counter, which changes when an earlier answer may have changed; nil without one.
    let changeCounter: SharedCounter?
    /// Incremented before an outermost call of the other side runs. After a failed call, that side sees whether the
    /// call had begun. Nil if this is not needed.
    let begun: SharedCounter?

    /// Takes ownership of connected stream sockets, one for each session.
    package init(
        main socket: Int32, side: Int32? = nil, limits: WorkerRPCLimits = WorkerRPCLimits(),
        reportsBreaches: Bool = false, events: Events = Events(), changeCounter: SharedCounter? = nil,
        begun: SharedCounter? = nil
    ) {
        self.changeCounter = changeCounter
        self.begun = begun
        self.limits = limits
        self.events = events
        self.reportsBreaches = reportsBreaches
        sideTurn = .allocate(capacity: 1)
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
        pthread_mutex_init(sideTurn, &attributes)
        pthread_mutexattr_destroy(&attributes)
        main = RPCSession(self, SocketChannel(socket, limits), isMain: true)
        self.side = side.map { RPCSession(self, SocketChannel($0, limits), isMain: false) }
    }

    deinit {
        let tokens = state.withLock { Array($0.proxies.values) }
        for token in tokens { TokenTable.shared.remove(token) }
        pthread_mutex_destroy(sideTurn)
        sideTurn.deallocate()
    }

    /// Ends both sessions immediately. Any thread.
    package func shutDown() {
        main.channel.shutDown()
        side?.channel.shutDown()
    }

    /// Runs `body` with the session that belongs to this thread.
    func withSession<Result>(_ body: (RPCSession) -> Result) -> Result {
        if main.isMine { return body(main) }
        guard let side else { return body(main) }
        pthread_mutex_lock(sideTurn)
        defer { pthread_mutex_unlock(sideTurn) }
        return body(side)
    }

    /// Tells the other side about a call that breaks the contract. Any thread.
    package func report(strayCall message: String) {
        withSession { $0.tellBreach(.strayCall, message) }
    }

    // MARK: this side's tables, sinks and instances

    /// The number of a table of this side. The table must not move or end before the connection does.
    package func number(ofTable pointer: UnsafeRawPointer, _ plan: RecordPlan) -> UInt64 {
        let callee = Callee(pointer: pointer, plan: plan)
        let address = UInt(bitPattern: pointer)
        return state.withLock { state in
            if let number = state.tableNumbers[address] { return number }
            let number = state.nextNumber
            state.nextNumber += 1
            state.tables[number] = callee
            state.tableNumbers[address] = number
            return number
        }
    }

    func open(sink pointer: UnsafeRawPointer, _ plan: RecordPlan) -> UInt64 {
        let callee = Callee(pointer: pointer, plan: plan)
        return state.withLock { state in
            let number = state.nextNumber | MessageHeader.sink
            state.nextNumber += 1
            state.sinks[number] = callee
            return number
        }
    }

    func close(sink number: UInt64) {
        state.withLock { _ = $0.sinks.removeValue(forKey: number) }
    }

    /// The function that a message's header refers to; nil for a sink that has been closed.
    func endpoint(_ header: MessageHeader, _ function: FunctionPlan) throws(WorkerRPCError) -> Endpoint? {
        let isSink = header.target & MessageHeader.sink != 0
        // Copied under the lock, because another thread may close a sink.
        let found = state.withLock { state -> (exists: Bool, endpoint: Endpoint?) in
            guard let entry = isSink ? state.sinks[header.target] : state.tables[header.target],
                entry.plan === function.record
            else { return (false, nil) }
            let size = Int(entry.pointer.loadUnaligned(as: UInt32.self))
            guard function.offset + MemoryLayout<UInt>.size <= size,
                let code = entry.pointer.load(fromByteOffset: function.offset, as: UnsafeRawPointer?.self)
            else { return (true, nil) }
            var context: UInt = 0
            for field in entry.plan.fields where field.kind == OVL_KIND_CONTEXT && field.end <= size {
                context = entry.pointer.load(fromByteOffset: field.offset, as: UInt.self)
            }
            return (true, Endpoint(code: code, context: context))
        }
        if let endpoint = found.endpoint { return endpoint }
        if isSink, !found.exists { return nil }
        throw WorkerRPCError(.malformed, "Unknown function \(function.fullName).")
    }

    /// The number of an instance of this side.
    func number(ofOwnInstance pointer: UInt) -> UInt64 {
        if pointer == 0 { return 0 }
        return state.withLock { state in
            if let number = state.instanceNumbers[pointer] { return number }
            let number = state.nextNumber
            state.nextNumber += 1
            state.instances[number] = pointer
            state.instanceNumbers[pointer] = number
            return number
        }
    }

    /// The instance of this side with a number; nil if there is none.
    func ownInstance(_ number: UInt64) -> UInt? {
        number == 0 ? 0 : state.withLock { $0.instances[number] }
    }

    // MARK: the other side's

    /// The context value for functions of the other side's table.
    func context(ofTable number: UInt64) -> UInt {
        if let token = state.withLock({ $0.proxies[number] }) { return token }
        let token = TokenTable.shared.add(TableProxy(self, number))
        return state.withLock { state in
            if let other = state.proxies[number] { return other }
            state.proxies[number] = token
            return token
        }
    }

    /// The address of a table that the other side has sent before.
    func importedTable(_ number: UInt64) -> UnsafeRawPointer? {
        state.withLock { $0.imported[number] }.flatMap { UnsafeRawPointer(bitPattern: $0) }
    }

    /// Keeps the memory of a message until the connection ends.
    func keep(_ message: ReceivedMessage) { state.withLock { $0.kept.append(message) } }

    /// Stores the address of the other side's table; if there is one already, that is kept.
    func keep(_ message: ReceivedMessage, table: UnsafeRawPointer, _ number: UInt64) -> UnsafeRawPointer? {
        let address = UInt(bitPattern: table)
        let known = state.withLock { state in
            if let known = state.imported[number] { return known }
            state.kept.append(message)
            state.imported[number] = address
            return address
        }
        return UnsafeRawPointer(bitPattern: known)
    }
}
