import OverlayABI
import Synchronization
import TestSupport
import Testing

@testable import OverlayCalls
@testable import WorkerRPC

/// A callee that records its arguments, puts rows into every sink, and returns values that follow from the seed.
private final class Callee: CallTarget {
    let seed: UInt64
    let seen = Mutex<[String]>([])
    let rows = Mutex<[String]>([])
    let statuses = Mutex<[ovl_status]>([])
    let given = Mutex<[UInt64]>([])

    init(seed: UInt64) { self.seed = seed }

    func invoke(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        let signature = function.signature
        seen.withLock { $0.append(describe(signature, arguments)) }
        let memory = SampleMemory()
        var sample = Sample(seed: seed, memory: memory)
        for index in 0..<Int(signature.arg_count) {
            let argument = signature.args[index]
            if argument.direction == OVL_DIRECTION_OUT {
                let word = UInt64.random(in: 1...UInt64.max, using: &sample.random)
                given.withLock { $0.append(word) }
                guard let cell = arguments[index]?.load(as: UnsafeMutableRawPointer?.self) else { continue }
                if argument.kind == OVL_KIND_I32 {
                    cell.storeBytes(of: UInt32(truncatingIfNeeded: word), as: UInt32.self)
                } else {
                    cell.storeBytes(of: word, as: UInt64.self)
                }
            } else if argument.kind == OVL_KIND_SINK, let record = argument.record,
                let sink = arguments[index]?.load(as: UnsafeRawPointer?.self)
            {
                put(3, into: sink, record, &sample)
            }
        }
        let word = UInt64.random(in: 1...UInt64.max, using: &sample.random)
        given.withLock { $0.append(word) }
        if function.result != OVL_KIND_TABLE { function.store(word, result) }
    }

    private func put(
        _ count: Int, into sink: UnsafeRawPointer, _ record: UnsafePointer<ovl_sig_record>,
        _ sample: inout Sample
    ) {
        guard let plan = ContractPlans.shared.record(String(cString: record.pointee.name)),
            let put = plan.functions[0]
        else { return }
        var context: UInt = 0
        for field in plan.fields where field.kind == OVL_KIND_CONTEXT {
            context = sink.load(fromByteOffset: field.offset, as: UInt.self)
        }
        for _ in 0..<count {
            let arguments = SampleArguments(put.signature, &sample, first: context) { _, _ in nil }
            rows.withLock { $0.append(describe(put.signature, arguments.values)) }
            var result: UInt64 = 0
            if let code = sink.load(fromByteOffset: put.offset, as: UnsafeRawPointer?.self) {
                put.call(code, arguments.values, &result)
                statuses.withLock { $0.append(ovl_status(truncatingIfNeeded: result)) }
            }
        }
    }
}

/// A sink that records its rows.
private final class Receiver: CallTarget {
    let rows = Mutex<[String]>([])

    func invoke(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        rows.withLock { $0.append(describe(function.signature, arguments)) }
        function.store(0, result)
    }
}

/// A function of the contract, with its record.
struct SampleFunction: CustomTestStringConvertible, Sendable {
    let plan: FunctionPlan
    var testDescription: String { plan.fullName }

    static let all: [SampleFunction] = ContractPlans.shared.records.flatMap { $0.functions }.compactMap {
        function in
        function.map { SampleFunction(plan: $0) }
    }
}

@Suite("Every function of the contract can be called in another process")
struct EveryFunctionTests {
    @Test("A plan is made of every record and function of the signatures")
    func plansAreComplete() {
        var count: UInt32 = 0
        let table = ovl_signatures_v1(&count)
        var functions = 0
        for index in 0..<Int(count) {
            for field in 0..<Int(table[index].pointee.field_count)
            where table[index].pointee.fields[field].function != nil {
                functions += 1
            }
        }
        #expect(ContractPlans.shared.records.count == Int(count))
        #expect(SampleFunction.all.count == functions)
        #expect(functions > 50)
    }

    @Test("Arguments, rows, results and output arrive unchanged", arguments: SampleFunction.all)
    func roundTrip(_ function: SampleFunction) throws {
        for seed in UInt64(1)...12 { try check(function.plan, seed) }
    }

    private func check(_ function: FunctionPlan, _ seed: UInt64) throws {
        let memory = SampleMemory()
        var sample = Sample(seed: seed, memory: memory)
        let callee = Callee(seed: seed &+ 1000)
        let receiver = Receiver()
        let connection = try ConnectionPair(limits: WorkerRPCLimits(sharedThreshold: 4096, batch: 20_000))
        defer { connection.end() }
        let table = makeTable(function.record, callee, memory: memory)
        let target = connection.far.number(ofTable: table, function.record)
        let instance = connection.far.number(ofOwnInstance: 0x1000)
        let arguments = SampleArguments(function.signature, &sample, first: UInt(instance)) { record, _ in
            ContractPlans.shared.record(String(cString: record.name)).map {
                makeTable($0, receiver, memory: memory)
            }
        }
        let expected = describe(function.signature, arguments.values)
        var result: UInt64 = 0
        try connection.near.main.call(function, of: target, arguments.values, &result)
        #expect(callee.seen.withLock { $0 } == [expected])
        #expect(receiver.rows.withLock { $0 } == callee.rows.withLock { $0 })
        #expect(callee.statuses.withLock { $0.allSatisfy { $0 == OVL_OK } })
        var given = callee.given.withLock { $0 }
        for (index, cell) in arguments.cells.sorted(by: { $0.key < $1.key }) {
            let word = given.removeFirst()
            switch function.arguments[index].kind {
            case OVL_KIND_I32: #expect(cell.load(as: UInt32.self) == UInt32(truncatingIfNeeded: word))
            case OVL_KIND_INSTANCE:
                #expect(connection.far.ownInstance(cell.load(as: UInt64.self)) == UInt(word))
            default: #expect(cell.load(as: UInt64.self) == word)
            }
        }
        switch function.result {
        case OVL_KIND_VOID, OVL_KIND_TABLE: #expect(result == 0)
        case OVL_KIND_I32, OVL_KIND_U32, OVL_KIND_STATUS:
            #expect(UInt32(truncatingIfNeeded: result) == UInt32(truncatingIfNeeded: given[0]))
        default: #expect(result == given[0])
        }
    }
}
