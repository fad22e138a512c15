import CSystemShims
import FoundationEssentials
import Glibc
import OverlayABI

@testable import OverlayCalls
@testable import WorkerRPC
@testable import WorkerRPCSamples

extension FuzzTarget {
    /// All messages that a worker sends while its host waits for the result of a method: calls of services, rows,
    /// results, notes. The host reads every byte, calls the sinks, and ends the conversation with an error or a
    /// result.
    static let conversation = FuzzTarget(
        name: "conversation", longest: 8 << 10,
        run: { data in
            guard let first = data.first else { return }
            let host = FuzzedHost()
            host.hear([UInt8](data.dropFirst()), Int(first))
        },
        seeds: { FuzzedHost.methods.indices.flatMap(FuzzedHost.conversations) })
}

/// A host that calls one method of a worker with given messages.
final class FuzzedHost {
    /// The method.
    static let methods: [FunctionPlan] = [
        ("ovl_entry", "create"), ("ovl_methods", "books"), ("ovl_methods", "is_usb_connected"),
        ("ovl_methods", "upload_books"), ("ovl_methods", "perform"),
    ].compactMap { table, name in
        ContractPlans.shared.record(table)?.functions.lazy.compactMap { $0 }.first { $0.name == name }
    }

    private static let limits = WorkerRPCLimits(
        message: 1 << 20, elements: 1 << 12, depth: 8, shared: 1 << 20, sharedThreshold: .max)
    // Unsafe: made by the fuzzer's one thread, and constant afterwards.
    nonisolated(unsafe) private static let memory = SampleMemory()
    /// The host's tables, in the order in which they get their numbers.
    nonisolated(unsafe) static let tables: [(plan: RecordPlan, table: UnsafeMutableRawPointer)] =
        ContractPlans.shared.records.filter { $0.service != nil || $0.name == "ovl_host" }.map {
            ($0, lookers($0))
        }
    nonisolated(unsafe) static let sinks: [String: UnsafeMutableRawPointer] = Dictionary(
        uniqueKeysWithValues: ContractPlans.shared.records.filter { $0.name.hasSuffix("_sink") }.map {
            ($0.name, lookers($0))
        })

    /// A table whose functions read their arguments. All tables share the functions, because functions of a single
    /// table are never freed.
    private static func lookers(_ plan: RecordPlan) -> UnsafeMutableRawPointer {
        let table = memory.allocate(plan.size)
        table.storeBytes(of: UInt32(plan.size), as: UInt32.self)
        for field in plan.fields {
            if field.kind == OVL_KIND_FUNCTION, let function = plan.functions[field.function] {
                table.storeBytes(of: function.code, toByteOffset: field.offset, as: UnsafeRawPointer?.self)
            } else if field.kind == OVL_KIND_CONTEXT {
                table.storeBytes(of: looker, toByteOffset: field.offset, as: UInt.self)
            }
        }
        return table
    }
    private static let looker = TokenTable.shared.add(Looker())

    /// The implementation of the host's functions.
    private final class Looker: CallTarget {
        func invoke(
            _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
            _ result: UnsafeMutableRawPointer
        ) {
            _ = describe(function.signature, arguments)
            function.store(0, result)
            if function.name == "get_service",
                let id = arguments[1]?.load(as: UnsafePointer<ovl_text>?.self)?.pointee, let data = id.data
            {
                let text = String(
                    decoding: UnsafeRawBufferPointer(start: data, count: Int(id.size)), as: UTF8.self)
                let table = FuzzedHost.tables.first { $0.plan.service == text }?.table
                result.storeBytes(of: table, as: UnsafeMutableRawPointer?.self)
            }
            FuzzedHost.putIntoSinks(of: function, arguments)
        }
    }

    /// Puts one value into each sink of a call.
    static func putIntoSinks(
        of function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>
    ) {
        guard function.name != "put" else { return }
        for index in 0..<function.arguments.count where function.arguments[index].kind == OVL_KIND_SINK {
            guard let plan = function.arguments[index].record?.takeUnretainedValue(),
                let put = plan.functions.first ?? nil,
                let sink = arguments[index]?.load(as: UnsafeRawPointer?.self),
                let code = sink.load(fromByteOffset: put.offset, as: UnsafeRawPointer?.self)
            else { continue }
            var sample = Sample(seed: 1, memory: SampleMemory())
            sample.largest = 8
            let context = sink.load(fromByteOffset: 8, as: UInt.self)
            let values = SampleArguments(put.signature, &sample, first: context) { _, _ in nil }
            var result: UInt64 = 0
            put.call(code, values.values, &result)
        }
    }

    /// Calls a method. The worker answers with these bytes and ends.
    func hear(_ bytes: [UInt8], _ choice: Int) {
        var sockets: [Int32] = [-1, -1]
        guard shim_socketpair(&sockets) == 0 else { return }
        let other = sockets[1]
        defer { close(other) }
        let files = FuzzTarget.memoryFiles
        _ = bytes.withUnsafeBytes {
            shim_send(other, $0.baseAddress, $0.count, nil, 0, files, Int32(files.count))
        }
        shutdown(other, Int32(SHUT_WR))
        let rpc = RPCConnection(main: sockets[0], limits: Self.limits)
        for (plan, table) in Self.tables { _ = rpc.number(ofTable: table, plan) }
        let function = Self.methods[choice % Self.methods.count]
        var sample = Sample(seed: 3, memory: SampleMemory())
        sample.largest = 8
        let arguments = SampleArguments(function.signature, &sample, first: 5) { record, _ in
            Self.sinks[String(cString: record.name)]
        }
        // The generated host record has no functions; the worker gets the one with a table.
        if function.name == "create" {
            arguments.values[0]?.storeBytes(of: Self.tables[0].table, as: UnsafeMutableRawPointer.self)
        }
        var result: UInt64 = 0
        do throws(WorkerRPCError) {
            try rpc.main.call(function, of: 16, arguments.values, &result)
            _ = describe(function.signature, arguments.values)
        } catch {
            expect(!error.message.isEmpty, "an error says nothing")
        }
        rpc.shutDown()
    }

    // MARK: seed conversations

    /// The seeds for a method: calls of each service function, rows, a note, and the result.
    static func conversations(_ choice: Int) -> [Data] {
        let method = methods[choice]
        let answer = message(.answer, method, 0, number: 1, answerBody(method))
        var all = [Data([UInt8(choice)] + answer)]
        for (place, table) in tables.enumerated() {
            for function in table.plan.functions.compactMap({ $0 }) {
                if let (body, shared) = FuzzTarget.sample(function, 3, 1), 1...2 ~= shared {
                    let call = message(.call, function, UInt64(16 + place), number: 1, body, shared)
                    all.append(Data([UInt8(choice)] + call + answer))
                }
                guard let (body, _) = FuzzTarget.sample(function, 2) else { continue }
                let call = message(.call, function, UInt64(16 + place), number: 1, body)
                all.append(Data([UInt8(choice)] + call + answer))
                if function.isOneWay {
                    let call = message(.oneWay, function, UInt64(16 + place), number: 0, body)
                    all.append(Data([UInt8(choice)] + call + answer))
                }
            }
        }
        // The sinks of the method get the numbers after those of the tables.
        var number = UInt64(16 + tables.count)
        for argument in method.arguments where argument.kind == OVL_KIND_SINK {
            defer { number += 1 }
            guard let put = argument.record?.takeUnretainedValue().functions.first ?? nil,
                let (body, _) = FuzzTarget.sample(put, 4)
            else { continue }
            let row = bytes(UInt64(body.count)) + body
            let target = number | MessageHeader.sink
            all.append(
                Data([UInt8(choice)] + message(.rows, put, target, number: 9, row + row) + answer))
            all.append(Data([UInt8(choice)] + message(.call, put, target, number: 2, body) + answer))
        }
        all.append(Data([UInt8(choice)] + message(.notification, method, 1, number: 0, []) + answer))
        all.append(
            Data([UInt8(choice)] + message(.breach, method, 1, number: 0, Array("A sentence.".utf8)) + answer)
        )
        return all
    }

    private static func answerBody(_ function: FunctionPlan) -> [UInt8] {
        var body = bytes(0)
        for argument in function.arguments where argument.isOut { body += bytes(5) }
        return body
    }

    private static func message(
        _ kind: MessageHeader.Kind, _ function: FunctionPlan, _ target: UInt64, number: UInt64,
        _ body: [UInt8], _ shared: Int = 0
    ) -> [UInt8] {
        var header = MessageHeader(
            kind, target: target, record: UInt32(function.record.index), function: UInt32(function.index))
        header.number = number
        header.length = body.count
        header.descriptors = shared
        var head = [UInt8](repeating: 0, count: MessageHeader.size)
        head.withUnsafeMutableBytes { buffer in buffer.baseAddress.map { header.write(to: $0) } }
        return head + body
    }

    private static func bytes(_ word: UInt64) -> [UInt8] { withUnsafeBytes(of: word) { Array($0) } }
}
