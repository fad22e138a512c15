import Diagnostics
import Glibc
import OverlayABI
import OverlayCalls
import Platform

/// A session of nested calls over one socket. While one side runs a call, the other waits for the end and runs the
/// calls that it receives meanwhile.
///
/// Unchecked: use from one thread at a time.
package final class RPCSession: @unchecked Sendable {
    unowned let rpc: RPCConnection
    let channel: SocketChannel
    let isMain: Bool
    /// Whether `ownerThread` owns the session. Without an owner, its user must use it from one thread at a time.
    @exclusivity(unchecked) private var hasOwner = false
    @exclusivity(unchecked) private var ownerThread = pthread_t()
    @exclusivity(unchecked) var depth = 0
    @exclusivity(unchecked) private var writers: [MessageWriter] = []
    /// A question, and the kind of message that answers it.
    private struct PendingQuestion {
        let kind: MessageHeader.Kind
        let number: UInt64
    }

    /// The number of questions so far, the unanswered ones, and for each of these at most one answer that came early.
    @exclusivity(unchecked) private var questions: UInt64 = 0
    @exclusivity(unchecked) private var open: [PendingQuestion] = []
    @exclusivity(unchecked) private var early: [ReceivedMessage] = []
    /// The collected rows, their sink and function, and when they began to wait.
    @exclusivity(unchecked) var rows: MessageWriter?
    @exclusivity(unchecked) var rowSink: SinkProxy?
    @exclusivity(unchecked) var rowFunction: FunctionPlan?
    @exclusivity(unchecked) var rowsSince: UInt64 = 0
    /// The sink of the last row, and the function.
    @exclusivity(unchecked) var lastRows: (sink: UInt64, function: FunctionPlan)?
    /// The other side's report of a value that broke the contract during the running call.
    @exclusivity(unchecked) var breach: String?
    lazy var rowScope = ExecutionScope(self)

    init(_ rpc: RPCConnection, _ channel: SocketChannel, isMain: Bool) {
        self.rpc = rpc
        self.channel = channel
        self.isMain = isMain
    }

    /// Makes the calling thread the owner of the session; other threads then use the side session. Call before any
    /// other call.
    package func claim() {
        ownerThread = pthread_self()
        hasOwner = true
    }

    /// Whether the calling thread may use the session.
    var isMine: Bool {
        @inline(__always) get { !hasOwner || pthread_equal(ownerThread, pthread_self()) != 0 }
    }

    // MARK: asking

    /// Calls a function of the other side's table or sink, and runs calls that it makes to this side meanwhile.
    package func call(
        _ function: FunctionPlan, of target: UInt64, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) throws(WorkerRPCError) {
        try descend()
        defer { depth -= 1 }
        try flush(wantsAnswer: true)
        let scope = CallScope(self)
        defer { scope.end() }
        let writer = takeWriter()
        defer { giveBack(writer) }
        try writer.encode(arguments: function, arguments, scope)
        let number = nextQuestion()
        var header = header(.call, function, target)
        header.number = number
        writer.finish(header)
        try send(writer)
        let outer = breach
        breach = nil
        defer { breach = outer }
        let answer = try wait(for: .answer, number)
        try decode(answer, function, arguments, result)
        if let breach { throw WorkerRPCError(.breach, breach) }
    }

    /// Calls a function without waiting for its end.
    func notify(
        _ function: FunctionPlan, of target: UInt64, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>
    ) throws(WorkerRPCError) {
        let scope = CallScope(self)
        defer { scope.end() }
        let writer = takeWriter()
        defer { giveBack(writer) }
        try writer.encode(arguments: function, arguments, scope)
        writer.finish(header(.oneWay, function, target))
        try send(writer)
    }

    /// Sends a notification. Use only between calls, or to end them.
    package func send(notification: UInt64, _ bytes: [UInt8] = []) throws(WorkerRPCError) {
        let writer = takeWriter()
        defer { giveBack(writer) }
        try writer.append(bytes)
        writer.finish(MessageHeader(.notification, target: notification))
        try send(writer)
    }

    /// Sends a table with all its fields, so that the other side can use it like its own.
    package func send(table: UnsafeRawPointer, _ plan: RecordPlan, notification: UInt64)
        throws(WorkerRPCError)
    {
        let writer = takeWriter()
        defer { giveBack(writer) }
        let scope = CallScope(self)
        defer { scope.end() }
        let word = try writer.reserve(8)
        writer.base.storeBytes(of: table, toByteOffset: word, as: UnsafeRawPointer.self)
        try writer.encodePointer(plan, word, scope)
        writer.finish(MessageHeader(.notification, target: notification))
        try send(writer)
    }

    /// Receives the next notification of the other side.
    package func receiveNotification() throws(WorkerRPCError) -> Notification {
        Notification(try wait(for: .notification, 0), self)
    }

    /// A notification that the other side sent with `send(notification:)` or `send(table:)`.
    package struct Notification {
        private let message: ReceivedMessage
        private let session: RPCSession

        fileprivate init(_ message: ReceivedMessage, _ session: RPCSession) {
            self.message = message
            self.session = session
        }

        /// The kind of notification.
        package var kind: UInt64 { message.header.target }

        /// Its bytes, followed by up to 7 zeros.
        package var bytes: [UInt8] {
            [UInt8](UnsafeRawBufferPointer(start: message.base, count: message.header.length))
        }

        /// Its bytes as a sentence.
        package var text: String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }

        /// The table in it, which stays valid as long as the connection, and the numbers of all tables in it, by the
        /// index of their plans.
        package func table(_ plan: RecordPlan) throws(WorkerRPCError) -> (
            pointer: UnsafeRawPointer, numbers: [Int: UInt64]
        ) {
            let number = try message.word()
            guard number >= PointerTag.firstTable else {
                throw WorkerRPCError(.malformed, "A table has no number.")
            }
            let room = try message.take(plan.room)
            let scope = ExecutionScope(session)
            try message.decode(record: plan, at: room, table: number, scope)
            session.rpc.keep(message)
            return (UnsafeRawPointer(message.base + room), scope.tables)
        }
    }

    // MARK: waiting

    /// The number of the next question.
    func nextQuestion() -> UInt64 {
        questions += 1
        return questions
    }

    /// Runs calls until a message of `kind` answers this question.
    ///
    /// The answer to an earlier question may come first: rows that are sent with an answer are processed before it,
    /// and processing them may ask a question.
    func wait(for kind: MessageHeader.Kind, _ number: UInt64) throws(WorkerRPCError) -> ReceivedMessage {
        open.append(PendingQuestion(kind: kind, number: number))
        defer { open.removeLast() }
        while true {
            if let place = early.firstIndex(where: { $0.header.number == number && $0.header.kind == kind }) {
                return early.remove(at: place)
            }
            let message = try receive()
            if message.header.kind == kind, message.header.number == number { return message }
            switch message.header.kind {
            case .answer, .rowsTaken: try keep(early: message)
            case .call: try run(message, answers: true)
            default: try handle(message)
            }
        }
    }

    /// Keeps the answer to an earlier question until that is waited for again.
    private func keep(early message: ReceivedMessage) throws(WorkerRPCError) {
        let header = message.header
        guard let question = open.last(where: { $0.number == header.number }) else { throw Self.unasked }
        guard question.kind == header.kind else {
            throw WorkerRPCError(.malformed, "An answer does not match its call.")
        }
        guard !early.contains(where: { $0.header.number == header.number }) else {
            throw WorkerRPCError(.malformed, "A call is answered twice.")
        }
        early.append(message)
    }

    private static let unasked = WorkerRPCError(
        .malformed, "An answer has no matching call.")

    private func receive() throws(WorkerRPCError) -> ReceivedMessage {
        if isMain { rpc.events.waits?(true) }
        let message = try channel.receive()
        if isMain { rpc.events.waits?(false) }
        return message
    }

    /// Runs the other side's calls until it ends; then `closed` is thrown.
    package func serve() throws(WorkerRPCError) -> Never {
        while true { try serveNext() }
    }

    /// Waits for a message of the other side and runs its calls.
    package func serveNext() throws(WorkerRPCError) {
        let message = try channel.receive()
        try handle(message)
    }

    private func handle(_ message: ReceivedMessage) throws(WorkerRPCError) {
        switch message.header.kind {
        case .call: try run(message, answers: true)
        case .oneWay: try run(message, answers: false)
        case .rows: try takeRows(message)
        case .breach:
            let text = message.text()
            let sort = BreachKind(rawValue: message.header.target) ?? .value
            if sort == .row { breach = breach ?? text }
            rpc.events.breach?(sort, text)
        default: throw Self.unasked
        }
    }

    // MARK: pieces

    private func descend() throws(WorkerRPCError) {
        guard depth < rpc.limits.depth else {
            throw WorkerRPCError(.breach, "Calls are nested \(depth) deep.")
        }
        depth += 1
    }

    func header(_ kind: MessageHeader.Kind, _ function: FunctionPlan, _ target: UInt64) -> MessageHeader {
        MessageHeader(
            kind, target: target, record: UInt32(function.record.index), function: UInt32(function.index))
    }

    /// Sends finished messages; blocks while the other side does not receive.
    func send(_ first: MessageWriter, _ second: MessageWriter? = nil) throws(WorkerRPCError) {
        if isMain { rpc.events.waits?(true) }
        try channel.send(first, second)
        first.reset()
        second?.reset()
    }

    func takeWriter() -> MessageWriter { writers.popLast() ?? MessageWriter(rpc.limits) }

    func giveBack(_ writer: MessageWriter) {
        writer.reset()
        writers.append(writer)
    }

    /// The result of a function of this side if its call could not be sent.
    func failed(
        _ error: WorkerRPCError, _ function: FunctionPlan,
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        guard let kind = error.code.breach else {
            rpc.events.broken?(error)
            return function.fail(
                OVL_FAILED, WorkerRPCError(.closed, "The other process has ended."), arguments, result)
        }
        let message = "\(function.fullName): \(error.message)"
        if rpc.reportsBreaches { tellBreach(function.isRow ? .row : kind, message) }
        if function.isRow {
            function.store(UInt64(OVL_STOPPED), result)
        } else {
            function.fail(
                OVL_CONTRACT_BROKEN, WorkerRPCError(error.code, "The call breaks the contract: \(message)"),
                arguments,
                result)
        }
    }

    func tellBreach(_ sort: BreachKind, _ message: String) {
        let writer = takeWriter()
        defer { giveBack(writer) }
        do throws(WorkerRPCError) {
            try writer.append(Array(message.prefix(bytes: 2048).utf8))
            writer.finish(MessageHeader(.breach, target: sort.rawValue))
            try send(writer)
        } catch {
            rpc.events.broken?(error)
        }
    }
}
