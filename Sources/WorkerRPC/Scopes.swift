import OverlayABI
import OverlayCalls

/// The objects that one call passes to the other side; valid until the call has been answered.
final class CallScope: ArgumentExporter {
    // Unowned: a connection owns its sessions, each of which keeps the scope of its rows.
    private unowned let rpc: RPCConnection
    private var sinks: [UInt64] = []

    init(_ session: RPCSession) { rpc = session.rpc }

    func end() {
        for sink in sinks { rpc.close(sink: sink) }
        sinks.removeAll()
    }

    func export(table: UnsafeRawPointer, _ plan: RecordPlan) -> UInt64 { rpc.number(ofTable: table, plan) }

    func export(sink: UnsafePointer<UInt8>, _ plan: RecordPlan) -> UInt64 {
        let number = rpc.open(sink: sink, plan)
        sinks.append(number)
        return number
    }

    // Instances belong to the overlay's side. The host's side knows only their numbers.
    func number(ofInstance pointer: UInt) -> UInt64 { UInt64(pointer) }
}

/// The objects that one call of the other side passes to this side; valid until the call has been answered.
final class ExecutionScope: ArgumentImporter {
    private unowned let session: RPCSession
    private var tokens: [UInt] = []
    /// The numbers of the received tables, by the index of their plan.
    private(set) var tables: [Int: UInt64] = [:]
    /// For rows, which do not pass any objects.
    private(set) lazy var exporter = CallScope(session)

    init(_ session: RPCSession) { self.session = session }

    func end() {
        for token in tokens { TokenTable.shared.remove(token) }
        tokens.removeAll()
    }

    func context(ofTable number: UInt64, _ plan: RecordPlan) -> UInt {
        session.rpc.context(ofTable: number)
    }

    func found(table number: UInt64, _ plan: RecordPlan) { tables[plan.index] = number }

    func context(ofSink number: UInt64, _ plan: RecordPlan) -> UInt {
        let token = TokenTable.shared.add(SinkProxy(session, number))
        tokens.append(token)
        return token
    }

    func instance(_ number: UInt64) -> UInt? { session.rpc.ownInstance(number) }

    func keep(_ message: ReceivedMessage) { session.rpc.keep(message) }
}
