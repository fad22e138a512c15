import Diagnostics
import Foundation
import OverlayABI
import Synchronization
import TestSupport
import Testing

@testable import OverlayCalls
@testable import WorkerRPC

/// A callee with a closure.
private final class Acting: CallTarget {
    typealias Action =
        @Sendable (FunctionPlan, UnsafePointer<UnsafeMutableRawPointer?>, UnsafeMutableRawPointer) -> Void
    private let action: Action

    init(_ action: @escaping Action) { self.action = action }

    func invoke(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        action(function, arguments, result)
    }
}

extension UnsafePointer where Pointee == UnsafeMutableRawPointer? {
    /// An argument that is a pointer.
    fileprivate func pointer<Value>(_ index: Int, _ type: Value.Type) -> UnsafePointer<Value>? {
        self[index]?.load(as: UnsafePointer<Value>?.self)
    }
}

@Suite("Two programs call each other")
struct RPCSessionTests {
    private let memory = SampleMemory()

    private func plan(_ record: String, _ function: String) throws -> FunctionPlan {
        let plan = try #require(ContractPlans.shared.record(record))
        return try #require(plan.functions.compactMap { $0 }.first { $0.name == function })
    }

    /// Calls `ovl_methods.books` of a remote overlay with a sink, and returns its status.
    private func books(
        _ connection: ConnectionPair, _ overlay: any CallTarget, _ sink: any CallTarget,
        errors: (any CallTarget)? = nil, method: String = "books", of sinkRecord: String = "ovl_book_sink"
    ) throws -> ovl_status {
        let function = try plan("ovl_methods", method)
        let table = makeTable(function.record, overlay, memory: memory)
        let options = memory.allocate(16)
        options.storeBytes(of: 16, as: UInt32.self)
        let sinkPlan = try #require(ContractPlans.shared.record(sinkRecord))
        let errorPlan = try #require(ContractPlans.shared.record("ovl_error_sink"))
        let words: [UInt] = [
            UInt(connection.far.number(ofOwnInstance: 0x40)), UInt(bitPattern: options),
            UInt(bitPattern: makeTable(sinkPlan, sink, memory: memory)),
            UInt(bitPattern: makeTable(errorPlan, errors ?? Acting { _, _, _ in }, memory: memory)),
        ]
        let values = memory.allocate(32).bindMemory(to: UnsafeMutableRawPointer?.self, capacity: 4)
        for (index, word) in words.enumerated() {
            let cell = memory.allocate(8)
            cell.storeBytes(of: word, as: UInt.self)
            values[index] = cell
        }
        var result: UInt64 = 0
        try connection.near.main.call(
            function, of: connection.far.number(ofTable: table, function.record), values, &result)
        return ovl_status(truncatingIfNeeded: result)
    }

    private static func put(_ path: String, _ sink: UnsafePointer<ovl_book_sink>) -> ovl_status {
        var path = path
        return path.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                var book = ovl_book()
                book.struct_size = UInt32(MemoryLayout<ovl_book>.size)
                book.path = ovl_text(data: bytes.baseAddress, size: UInt64(bytes.count))
                return sink.pointee.put?(sink.pointee.ctx, &book) ?? OVL_FAILED
            }
        }
    }

    @Test("Rows that were put before a stop could be known are dropped, and the stop is reported once")
    func stop() throws {
        let connection = try ConnectionPair(limits: WorkerRPCLimits(batch: 4096, batchAge: .max))
        defer { connection.end() }
        let taken = Mutex(0)
        let told = Mutex<[Int]>([])
        let overlay = Acting { function, arguments, result in
            guard let sink = arguments.pointer(2, ovl_book_sink.self) else { return }
            for index in 0..<1000 where RPCSessionTests.put("/\(index)", sink) != OVL_OK {
                told.withLock { $0.append(index) }
                break
            }
            function.store(UInt64(OVL_STOPPED), result)
        }
        let sink = Acting { function, _, result in
            let count = taken.withLock { count in
                count += 1
                return count
            }
            function.store(UInt64(count == 5 ? OVL_STOPPED : OVL_OK), result)
        }
        #expect(try books(connection, overlay, sink) == OVL_STOPPED)
        #expect(taken.withLock { $0 } == 5)
        let place = try #require(told.withLock { $0 }.first)
        #expect(place >= 4 && place < 100)
    }

    private static func put(item index: Int, _ sink: UnsafePointer<ovl_result_sink>) -> ovl_status {
        var row = ovl_item_result()
        row.struct_size = UInt32(MemoryLayout<ovl_item_result>.size)
        row.index = UInt64(index)
        return sink.pointee.put?(sink.pointee.ctx, &row) ?? OVL_FAILED
    }

    @Test("The first outcome of each call is sent at once, and the later ones are sent together")
    func outcomes() throws {
        let connection = try ConnectionPair(limits: WorkerRPCLimits(batchAge: 10_000_000_000))
        defer { connection.end() }
        let taken = Mutex(0)
        let counts = Mutex<[Int]>([])
        let overlay = Acting { function, arguments, result in
            guard let sink = arguments.pointer(2, ovl_result_sink.self) else { return }
            for index in 0..<100 {
                _ = RPCSessionTests.put(item: index, sink)
                if index == 0 || index == 99 { counts.withLock { $0.append(taken.withLock { $0 }) } }
            }
            function.store(UInt64(OVL_OK), result)
        }
        let sink = Acting { function, _, result in
            taken.withLock { $0 += 1 }
            function.store(0, result)
        }
        for _ in 0..<2 {
            let status = try books(
                connection, overlay, sink, method: "delete_books", of: "ovl_result_sink")
            #expect(status == OVL_OK)
        }
        #expect(counts.withLock { $0 } == [1, 1, 101, 101])
        #expect(taken.withLock { $0 } == 200)
    }

    @Test("Books are sent together, and arrive before the answer of their call", arguments: [1, 100])
    func together(_ books: Int) throws {
        let connection = try ConnectionPair(limits: WorkerRPCLimits(batchAge: 10_000_000_000))
        defer { connection.end() }
        let taken = Mutex(0)
        let before = Mutex<Int?>(nil)
        let overlay = Acting { function, arguments, result in
            guard let sink = arguments.pointer(2, ovl_book_sink.self) else { return }
            for index in 0..<books { _ = RPCSessionTests.put("/\(index)", sink) }
            before.withLock { $0 = taken.withLock { $0 } }
            function.store(UInt64(OVL_OK), result)
        }
        let sink = Acting { function, _, result in
            taken.withLock { $0 += 1 }
            function.store(0, result)
        }
        #expect(try self.books(connection, overlay, sink) == OVL_OK)
        #expect(before.withLock { $0 } == 0)
        #expect(taken.withLock { $0 } == books)
    }

    @Test("Rows arrive before the answer of the call that put them, and before the next question")
    func order() throws {
        let seen = Mutex<[String]>([])
        let connection = try ConnectionPair(limits: WorkerRPCLimits(batchAge: .max))
        defer { connection.end() }
        let overlay = Acting { function, arguments, result in
            guard let sink = arguments.pointer(2, ovl_book_sink.self),
                let error = arguments.pointer(3, ovl_error_sink.self)
            else { return }
            _ = RPCSessionTests.put("/a", sink)
            var record = ovl_error()
            record.struct_size = UInt32(MemoryLayout<ovl_error>.size)
            error.pointee.put?(error.pointee.ctx, &record)
            _ = RPCSessionTests.put("/b", sink)
            function.store(UInt64(OVL_FAILED), result)
        }
        let sink = Acting { function, arguments, result in
            function.store(0, result)
            guard let text = arguments.pointer(1, ovl_book.self)?.pointee.path, let data = text.data else {
                return
            }
            let bytes = UnsafeRawBufferPointer(start: data, count: Int(text.size))
            seen.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
        }
        let errors = Acting { _, _, _ in seen.withLock { $0.append("error") } }
        #expect(try books(connection, overlay, sink, errors: errors) == OVL_FAILED)
        #expect(seen.withLock { $0 } == ["/a", "error", "/b"])
    }

    @Test("A callback of a call runs on the thread that waits for it")
    func threads() throws {
        let callers = Mutex<[UInt]>([])
        let connection = try ConnectionPair()
        defer { connection.end() }
        let overlay = Acting { function, arguments, result in
            if let sink = arguments.pointer(2, ovl_book_sink.self) { _ = RPCSessionTests.put("/a", sink) }
            function.store(0, result)
        }
        let sink = Acting { function, _, result in
            callers.withLock { $0.append(UInt(pthread_self())) }
            function.store(0, result)
        }
        #expect(try books(connection, overlay, sink) == OVL_OK)
        #expect(callers.withLock { $0 } == [UInt(pthread_self())])
    }

    @Test("A sink that is used after its call has returned has no effect")
    func stray() throws {
        /// Unchecked: used by one thread at a time, that of the overlay.
        final class Kept: @unchecked Sendable {
            var sink: ovl_book_sink?
        }
        let kept = Kept()
        let connection = try ConnectionPair()
        defer { connection.end() }
        let statuses = Mutex<[ovl_status]>([])
        let taken = Mutex(0)
        let overlay = Acting { function, arguments, result in
            if var old = kept.sink {
                let status = RPCSessionTests.put("/late", &old)
                statuses.withLock { $0.append(status) }
            }
            kept.sink = arguments.pointer(2, ovl_book_sink.self)?.pointee
            function.store(0, result)
        }
        let sink = Acting { _, _, _ in taken.withLock { $0 += 1 } }
        #expect(try books(connection, overlay, sink) == OVL_OK)
        #expect(try books(connection, overlay, sink) == OVL_OK)
        #expect(statuses.withLock { $0 } == [OVL_WRONG_STATE])
        #expect(taken.withLock { $0 } == 0)
    }

    @Test("A row that cannot be carried fails its call and names the record")
    func breach() throws {
        let connection = try ConnectionPair(reportsBreaches: true)
        defer { connection.end() }
        let overlay = Acting { function, arguments, result in
            guard let sink = arguments.pointer(2, ovl_book_sink.self) else { return }
            var book = ovl_book()
            book.struct_size = UInt32(MemoryLayout<ovl_book>.size)
            book.authors = ovl_texts(items: UnsafePointer(bitPattern: 8), count: .max)
            _ = sink.pointee.put?(sink.pointee.ctx, &book)
            function.store(0, result)
        }
        let error = #expect(throws: WorkerRPCError.self) {
            try books(connection, overlay, Acting { _, _, _ in })
        }
        #expect(error?.code == .breach)
        #expect(error?.message.contains("ovl_book_sink.put") == true)
        // Only that call has failed.
        #expect(try books(connection, Acting { $0.store(0, $2) }, Acting { _, _, _ in }) == OVL_OK)
    }

    @Test("Services work in the other direction: requested by id, called from any thread, absent if unknown")
    func services() throws {
        let lines = Mutex<[String]>([])
        let asked = Mutex(0)
        let connection = try ConnectionPair(limits: WorkerRPCLimits(batchAge: .max))
        defer { connection.end() }
        let log = try #require(ContractPlans.shared.record("ovl_log_service"))
        let cancel = try #require(ContractPlans.shared.record("ovl_cancel_service"))
        let logTable = UInt(
            bitPattern: makeTable(
                log,
                Acting { function, arguments, result in
                    lines.withLock { $0.append(function.name) }
                    function.store(1, result)
                }, memory: memory))
        let cancelTable = UInt(
            bitPattern: makeTable(
                cancel,
                Acting { function, _, result in
                    asked.withLock { $0 += 1 }
                    function.store(0, result)
                }, memory: memory))
        let hostPlan = try #require(ContractPlans.shared.record("ovl_host"))
        let host = makeTable(
            hostPlan,
            Acting { _, arguments, result in
                guard let id = arguments.pointer(1, ovl_text.self)?.pointee, let data = id.data else {
                    return
                }
                let text = String(
                    decoding: UnsafeRawBufferPointer(start: data, count: Int(id.size)), as: UTF8.self)
                let table = text == OVL_SERVICE_LOG ? logTable : text == OVL_SERVICE_CANCEL ? cancelTable : 0
                result.storeBytes(of: table, as: UInt.self)
            }, memory: memory)
        let changeCounter = connection.changeCounter
        let answers = Mutex<[Int32]>([])
        let overlay = Acting { _, arguments, result in
            guard let host = arguments.pointer(0, ovl_host.self)?.pointee else { return }
            func service(_ id: String) -> UnsafeRawPointer? {
                var id = id
                return id.withUTF8 { bytes in
                    bytes.withMemoryRebound(to: CChar.self) { bytes in
                        var text = ovl_text(data: bytes.baseAddress, size: UInt64(bytes.count))
                        return host.get_service?(host.ctx, &text, 24)
                    }
                }
            }
            guard let log = service(OVL_SERVICE_LOG)?.load(as: ovl_log_service.self),
                let cancel = service(OVL_SERVICE_CANCEL)?.load(as: ovl_cancel_service.self)
            else { return }
            answers.withLock { $0.append(service("org.example.unknown/1") == nil ? 1 : 0) }
            answers.withLock { $0.append(log.enabled?(log.ctx, 3) ?? -1) }
            // The table stays in place, and any thread may call its functions.
            nonisolated(unsafe) let shared = log
            let thread = Thread {
                answers.withLock { $0.append(10 + (shared.enabled?(shared.ctx, 3) ?? -1)) }
            }
            thread.start()
            while !thread.isFinished { sched_yield() }
            for round in 0..<3 {
                if round == 2 { changeCounter.increment() }
                for _ in 0..<1000 { answers.withLock { $0[0] += cancel.is_cancelled?(cancel.ctx) ?? 5 } }
            }
            result.storeBytes(of: 0, as: UInt64.self)
        }
        let create = try plan("ovl_entry", "create")
        let cell = memory.allocate(8)
        let values = memory.allocate(24).bindMemory(to: UnsafeMutableRawPointer?.self, capacity: 3)
        for (index, word) in [UInt(bitPattern: host), UInt(bitPattern: cell), 0].enumerated() {
            let place = memory.allocate(8)
            place.storeBytes(of: word, as: UInt.self)
            values[index] = place
        }
        var result: UInt64 = 9
        let table = makeTable(create.record, overlay, memory: memory)
        try connection.near.main.call(
            create, of: connection.far.number(ofTable: table, create.record), values, &result)
        #expect(answers.withLock { $0 } == [1, 1, 11])
        #expect(lines.withLock { $0 } == ["enabled", "enabled"])
        // For two thousand questions the host was asked once, and once more after it had announced a change.
        #expect(asked.withLock { $0 } == 2)
    }

    @Test("A receiver of rows that travel with an answer may ask something meanwhile")
    func earlyAnswer() throws {
        let asked = Mutex(0)
        let taken = Mutex(0)
        let connection = try ConnectionPair(limits: WorkerRPCLimits(batchAge: .max))
        defer { connection.end() }
        let near = connection.near
        let overlay = Acting { function, arguments, result in
            // The rows wait for the answer of this call and are sent with it.
            if let sink = arguments.pointer(2, ovl_book_sink.self) {
                for index in 0..<3 { _ = RPCSessionTests.put("/\(index)", sink) }
            }
            function.store(UInt64(OVL_NOT_FOUND), result)
        }
        let initialize = try plan("ovl_methods", "initialize")
        let other = makeTable(
            initialize.record,
            Acting { function, _, result in
                asked.withLock { $0 += 1 }
                function.store(0, result)
            }, memory: memory)
        let target = connection.far.number(ofTable: other, initialize.record)
        let sink = Acting { function, _, result in
            taken.withLock { $0 += 1 }
            withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 2) { values in
                var none: UInt = 0
                var answer: UInt64 = 1
                withUnsafeMutablePointer(to: &none) { none in
                    values.initialize(repeating: UnsafeMutableRawPointer(none))
                    guard let start = values.baseAddress else { return }
                    do { try near.main.call(initialize, of: target, start, &answer) } catch { answer = 2 }
                }
                function.store(answer, result)
            }
        }
        #expect(try books(connection, overlay, sink) == OVL_NOT_FOUND)
        #expect(taken.withLock { $0 } == 3)
        #expect(asked.withLock { $0 } == 3)
    }

    @Test("A waiting call learns that the other side has ended")
    func ending() throws {
        let connection = try ConnectionPair()
        let far = connection.far
        let overlay = Acting { _, _, _ in far.shutDown() }
        let error = #expect(throws: WorkerRPCError.self) {
            try books(connection, overlay, Acting { _, _, _ in })
        }
        #expect(error?.code == .closed)
        #expect(connection.end()?.code == .closed)
    }
}
