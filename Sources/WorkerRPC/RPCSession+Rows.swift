import Diagnostics
import Synchronization
import OverlayABI
import OverlayCalls
import Platform

// Rows: calls of a sink that are collected and sent together.

extension RPCSession {
    /// Puts a row into a sink of the other side, and returns the sink's answer if it is already known.
    @inline(__always)
    func put(
        _ function: FunctionPlan, _ sink: SinkProxy, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>
    ) throws(WorkerRPCError) -> ovl_status {
        if rowSink !== sink || rowFunction !== function { try begin(function, sink) }
        if let stop = sink.stop {
            sink.stop = nil
            return stop
        }
        guard let rows else { return OVL_FAILED }
        let (start, files) = (rows.count, rows.descriptors.count)
        do throws(WorkerRPCError) {
            let length = try rows.reserve(8)
            try rows.encode(arguments: function, arguments, rowScope.exporter)
            rows.base.storeBytes(of: UInt64(rows.count - length - 8), toByteOffset: length, as: UInt64.self)
        } catch {
            rows.rewind(to: start, descriptors: files)
            throw error
        }
        // The first outcome of an item, and the first after a pause, is sent at once, because the next may take long.
        // Other rows wait for more, or for the answer of the call: most calls have one row, and would wake up the other
        // side twice.
        let now = SystemClock.monotonic
        if start == MessageHeader.size, !function.isOutcome { rowsSince = now }
        guard rows.count >= rpc.limits.batch || now &- rowsSince > rpc.limits.batchAge || files > 0 else {
            return OVL_OK
        }
        try flush(wantsAnswer: true)
        defer { sink.stop = nil }
        return sink.stop ?? OVL_OK
    }

    @inline(never)
    private func begin(_ function: FunctionPlan, _ sink: SinkProxy) throws(WorkerRPCError) {
        try flush(wantsAnswer: true)
        rows = rows ?? takeWriter()
        // `lastRows` survives a send, so that a later row of the same sink is not taken for its first one.
        if lastRows?.sink != sink.number || lastRows?.function !== function { rowsSince = 0 }
        (rowSink, rowFunction, lastRows) = (sink, function, (sink.number, function))
    }

    /// Sends the collected rows, if any, and records in their sink if it asks to stop.
    func flush(wantsAnswer: Bool) throws(WorkerRPCError) {
        let number = wantsAnswer ? nextQuestion() : 0
        guard let writer = finishRows(number) else { return }
        let sink = rowSink
        rowsSince = SystemClock.monotonic
        // While this waits for the answer, the other side's sink may call back and put its own rows.
        (rows, rowSink, rowFunction) = (nil, nil, nil)
        defer { giveBack(writer) }
        try send(writer)
        guard wantsAnswer else { return }
        let answer = try wait(for: .rowsTaken, number)
        let status = ovl_status(truncatingIfNeeded: Int64(bitPattern: answer.header.target))
        if status != OVL_OK { sink?.stop = status }
    }

    /// The collected rows as a message with this question number; nil if there are none.
    func finishRows(_ number: UInt64 = 0) -> MessageWriter? {
        guard let rows, let sink = rowSink, let function = rowFunction, rows.count > MessageHeader.size else {
            return nil
        }
        var header = header(.rows, function, sink.number)
        header.number = number
        rows.finish(header)
        return rows
    }

    /// Puts the other side's rows into the sink of this side, until it asks to stop.
    func takeRows(_ message: ReceivedMessage) throws(WorkerRPCError) {
        let function = try function(message.header, message.header.function)
        guard function.isRow else {
            throw WorkerRPCError(.malformed, "The function \(function.fullName) takes no rows.")
        }
        var status = OVL_OK
        if let endpoint = try rpc.endpoint(message.header, function) {
            status = try put(message, function, endpoint)
        } else {
            Callable.strayCalls.withLock { $0 }?(function)
            status = OVL_WRONG_STATE
        }
        guard message.header.number != 0 else { return }
        try flush(wantsAnswer: true)
        let writer = takeWriter()
        defer { giveBack(writer) }
        var header = MessageHeader(.rowsTaken, target: UInt64(bitPattern: Int64(status)))
        header.number = message.header.number
        writer.finish(header)
        try send(writer)
    }

    private func put(_ message: ReceivedMessage, _ function: FunctionPlan, _ endpoint: RPCConnection.Endpoint)
        throws(WorkerRPCError) -> ovl_status
    {
        try withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 16) {
            (values) throws(WorkerRPCError) -> ovl_status in
            guard let values = values.baseAddress else { return OVL_FAILED }
            var result: UInt64 = 0
            while message.left > 0 {
                let length = try message.word()
                guard length <= UInt64(message.left) else {
                    throw WorkerRPCError(.malformed, "A row is longer than its message.")
                }
                let end = message.cursor + Int(length)
                try message.decode(arguments: function, context: endpoint.context, into: values, rowScope)
                guard message.cursor == end else {
                    throw WorkerRPCError(.malformed, "A row of \(function.fullName) has a wrong length.")
                }
                function.call(endpoint.code, values, &result)
                let status = ovl_status(truncatingIfNeeded: result)
                // The following rows were put before the other side could know.
                if function.result == OVL_KIND_STATUS, status != OVL_OK { return status }
            }
            return OVL_OK
        }
    }
}
