import Synchronization
import Diagnostics
import Glibc
import OverlayABI
import OverlayCalls

// Runs calls of the other side.

extension RPCSession {
    /// The function in a header.
    func function(_ header: MessageHeader, _ index: UInt32) throws(WorkerRPCError) -> FunctionPlan {
        guard let record = ContractPlans.shared.record(at: UInt64(header.record)),
            Int(index) < record.functions.count, let function = record.functions[Int(index)]
        else { throw WorkerRPCError(.malformed, "A call is for a function that does not exist.") }
        return function
    }

    /// Runs a call and sends its answer.
    func run(_ message: ReceivedMessage, answers: Bool) throws(WorkerRPCError) {
        let function = try function(message.header, message.header.function)
        guard answers || function.isOneWay else {
            throw WorkerRPCError(
                .malformed, "The function \(function.fullName) is called without waiting for its answer.")
        }
        guard depth < rpc.limits.depth else {
            throw WorkerRPCError(.malformed, "Calls are nested \(depth) deep.")
        }
        if depth == 0, isMain { rpc.begun?.increment() }
        depth += 1
        defer { depth -= 1 }
        rpc.events.willServe?(function)
        let scope = ExecutionScope(self)
        defer { scope.end() }
        try withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 16) {
            (values) throws(WorkerRPCError) in
            guard let values = values.baseAddress else { return }
            var result: UInt64 = 0
            if let endpoint = try rpc.endpoint(message.header, function) {
                try message.decode(arguments: function, context: endpoint.context, into: values, scope)
                guard message.left == 0 else {
                    throw WorkerRPCError(.malformed, "A call of \(function.fullName) is too long.")
                }
                function.call(endpoint.code, values, &result)
            } else {
                Callable.strayCalls.withLock { $0 }?(function)
                try message.decode(arguments: function, context: 0, into: values, scope)
                result = UInt64(OVL_WRONG_STATE)
            }
            if answers { try answer(message.header.number, function, values, result) }
        }
    }

    private func answer(
        _ number: UInt64, _ function: FunctionPlan, _ values: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        _ result: UInt64
    ) throws(WorkerRPCError) {
        let writer = takeWriter()
        defer { giveBack(writer) }
        let scope = CallScope(self)
        defer { scope.end() }
        if function.result == OVL_KIND_TABLE {
            try append(table: UnsafeRawPointer(bitPattern: UInt(result)), function, values, writer, scope)
        } else {
            try writer.append(function.result == OVL_KIND_VOID ? 0 : result)
        }
        for index in 0..<function.arguments.count where function.arguments[index].isOut {
            guard let cell = values[index]?.load(as: UnsafeRawPointer?.self) else { continue }
            let word = cell.load(as: UInt64.self)
            try writer.append(
                function.arguments[index].kind == OVL_KIND_INSTANCE
                    ? rpc.number(ofOwnInstance: UInt(word)) : word)
        }
        var header = header(.answer, function, 0)
        header.number = number
        writer.finish(header)
        // Rows that the call has put are sent with its answer; it is too late to stop the call.
        if let rows = finishRows() {
            (self.rows, rowSink, rowFunction) = (nil, nil, nil)
            defer { giveBack(rows) }
            try send(rows, writer)
        } else {
            try send(writer)
        }
    }

    /// Appends the table of a service: its number, its plan, then the table. The id argument selects the plan.
    private func append(
        table: UnsafeRawPointer?, _ function: FunctionPlan,
        _ values: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ writer: MessageWriter, _ scope: CallScope
    ) throws(WorkerRPCError) {
        guard let table, let plan = servicePlan(function, values) else { return try writer.append(0) }
        try writer.append(rpc.number(ofTable: table, plan))
        try writer.append(UInt64(plan.index))
        let room = try writer.reserve(plan)
        try writer.encode(record: plan, from: table, at: room, available: .max, scope)
    }

    private func servicePlan(
        _ function: FunctionPlan, _ values: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> RecordPlan? {
        for index in 0..<function.arguments.count where function.arguments[index].kind == OVL_KIND_TEXT {
            guard let id = values[index]?.load(as: UnsafePointer<ovl_text>?.self)?.pointee,
                let data = id.data,
                id.size <= 256
            else { continue }
            let bytes = UnsafeRawBufferPointer(start: data, count: Int(id.size))
            return ContractPlans.shared.service(String(decoding: bytes, as: UTF8.self))
        }
        return nil
    }

    /// Reads the answer of a call: its result, and what the callee wrote.
    func decode(
        _ message: ReceivedMessage, _ function: FunctionPlan,
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer
    ) throws(WorkerRPCError) {
        guard Int(message.header.record) == function.record.index,
            Int(message.header.function) == function.index
        else { throw WorkerRPCError(.malformed, "The answer belongs to a different call.") }
        let word = try message.word()
        if function.result == OVL_KIND_TABLE {
            let table = word == 0 ? nil : try importTable(message, word)
            result.storeBytes(of: table, as: UnsafeRawPointer?.self)
        } else {
            function.store(word, result)
        }
        for index in 0..<function.arguments.count where function.arguments[index].isOut {
            guard let cell = arguments[index]?.load(as: UnsafeMutableRawPointer?.self) else { continue }
            var word = try message.word()
            let kind = function.arguments[index].kind
            if kind == OVL_KIND_INSTANCE {
                cell.storeBytes(of: UInt(word), as: UInt.self)
            } else {
                memcpy(cell, &word, ArgumentPlan.bytes(of: kind) ?? 8)
            }
        }
        guard message.left == 0 else {
            throw WorkerRPCError(.malformed, "The answer of \(function.fullName) is too long.")
        }
    }

    private func importTable(_ message: ReceivedMessage, _ number: UInt64) throws(WorkerRPCError)
        -> UnsafeRawPointer?
    {
        guard number >= PointerTag.firstTable, let plan = ContractPlans.shared.record(at: try message.word())
        else {
            throw WorkerRPCError(.malformed, "A table has no plan.")
        }
        let room = try message.take(plan.room)
        if let known = rpc.importedTable(number) { return known }
        try message.decode(record: plan, at: room, table: number, ExecutionScope(self))
        return rpc.keep(message, table: UnsafeRawPointer(message.base + room), number)
    }
}
