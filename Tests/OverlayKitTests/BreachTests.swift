import OverlayABI
import OverlayBridge
import OverlayKit
import Synchronization
import Testing

@Suite("Errors and breaches end a method with a status, never with a trap")
struct BreachTests {
    @Test("An error that a method throws reaches the host with all details, once")
    func thrown() throws {
        let error = OverlayError(
            .deviceIO, "Reading failed.", subject: "/db", hint: "Try again.", domain: .afc, nativeCode: 10,
            retryable: true)
        var script = OverlayScript()
        script.initialize = { () throws(OverlayError) in throw error }
        let outcome = try TestInstance(script).call { $0.initialize?($1, $2) }
        #expect(outcome.status == .deviceIO)
        #expect(outcome.errors == [error])
    }

    @Test("An error with status ok is a failure anyway")
    func thrownOK() throws {
        var script = OverlayScript()
        script.eject = { () throws(OverlayError) in throw OverlayError(.ok, "Odd.") }
        let outcome = try TestInstance(script).call { $0.eject?($1, $2) }
        #expect(outcome.status == .failed)
        #expect(outcome.errors.map(\.status) == [.failed])
    }

    @Test("A sink that stops ends the method, and is not called again even by an overlay that goes on")
    func stops() throws {
        let refused = Mutex(0)
        try withoutActuallyEscaping({ @Sendable in refused.withLock { $0 += 1 } }) { refuse in
            var script = OverlayScript()
            script.books = { (_, each) throws(OverlayError) in
                for number in 0..<5 {
                    do throws(OverlayError) {
                        try each(Book(path: "\(number)"))
                    } catch {
                        if error.status == .stopped { refuse() }
                    }
                }
            }
            let instance = try TestInstance(script)
            let books = TestSink<Book>(limit: 2)
            var sink = books.sink
            var options = BooksOptions().record(in: Arena())
            let outcome = try instance.call { $0.books?($1, &options, &sink, $2) }
            #expect(outcome.status == .stopped)
            #expect(outcome.errors.map(\.status) == [.stopped])
            #expect(books.rows.map(\.path) == ["0", "1"])
        }
        #expect(refused.withLock { $0 } == 4)
    }

    @Test("A null instance is reported")
    func nullInstance() throws {
        typealias Plain = @convention(c) (OpaquePointer?, UnsafePointer<ovl_error_sink>?) -> ovl_status
        let instance = try TestInstance()
        let initialize = unsafeBitCast(try #require(instance.methods.initialize), to: Plain.self)
        let outcome = collectingErrors { initialize(nil, $0) }
        #expect(outcome.status == .contractBroken)
        #expect(outcome.errors.count == 1)
        #expect(initialize(nil, nil) == OVL_CONTRACT_BROKEN)
    }

    @Test("An error sink that is null, too small or without a function is passed over")
    func uselessErrorSinks() throws {
        var script = OverlayScript()
        script.initialize = { () throws(OverlayError) in throw OverlayError(.busy, "Busy.") }
        let instance = try TestInstance(script)
        typealias Plain = @convention(c) (OpaquePointer?, UnsafePointer<ovl_error_sink>?) -> ovl_status
        let initialize = unsafeBitCast(try #require(instance.methods.initialize), to: Plain.self)
        #expect(initialize(instance.pointer, nil) == OVL_BUSY)
        var sink = ovl_error_sink.sized()
        #expect(initialize(instance.pointer, &sink) == OVL_BUSY)
        sink.struct_size = 4
        #expect(initialize(instance.pointer, &sink) == OVL_BUSY)
    }

    @Test("Null in the place of options, list or sink is reported")
    func nullArguments() throws {
        let instance = try TestInstance()
        typealias Books =
            @convention(c) (
                OpaquePointer?, UnsafePointer<ovl_books_options>?, UnsafePointer<ovl_book_sink>?,
                UnsafePointer<ovl_error_sink>?
            ) -> ovl_status
        let list = unsafeBitCast(try #require(instance.methods.books), to: Books.self)
        var options = BooksOptions().record(in: Arena())
        let books = TestSink<Book>()
        var sink = books.sink
        #expect(list(instance.pointer, nil, &sink, nil) == OVL_CONTRACT_BROKEN)
        #expect(list(instance.pointer, &options, nil, nil) == OVL_CONTRACT_BROKEN)
        sink.put = nil
        #expect(list(instance.pointer, &options, &sink, nil) == OVL_CONTRACT_BROKEN)

        typealias Delete =
            @convention(c) (
                OpaquePointer?, UnsafePointer<ovl_texts>?, UnsafePointer<ovl_result_sink>?,
                UnsafePointer<ovl_error_sink>?
            ) -> ovl_status
        let delete = unsafeBitCast(try #require(instance.methods.delete_books), to: Delete.self)
        #expect(delete(instance.pointer, nil, nil, nil) == OVL_CONTRACT_BROKEN)

        typealias USB =
            @convention(c) (
                OpaquePointer?, UnsafePointer<ovl_list>?, Int32, UnsafeMutablePointer<Int64>?,
                UnsafePointer<ovl_error_sink>?
            ) -> ovl_status
        let usb = unsafeBitCast(try #require(instance.methods.is_usb_connected), to: USB.self)
        var devices = ovl_list()
        var index: Int64 = 0
        #expect(usb(instance.pointer, &devices, 0, nil, nil) == OVL_CONTRACT_BROKEN)
        #expect(usb(instance.pointer, nil, 0, &index, nil) == OVL_CONTRACT_BROKEN)
    }

    @Test("A path that is not UTF-8 is reported and never reaches the overlay")
    func damagedPath() throws {
        var script = OverlayScript()
        script.paths = { (_, _) throws(OverlayError) in throw OverlayError(.failed, "It was called.") }
        let instance = try TestInstance(script)
        let arena = Arena()
        var path = arena.text("x")
        try arena.bytes([0xFF]).data.map { data in
            try data.withMemoryRebound(to: CChar.self, capacity: 1) { bytes in
                path = ovl_text(data: bytes, size: 1)
                try withUnsafePointer(to: path) { items in
                    var paths = ovl_texts(items: items, count: 1)
                    let rows = TestSink<ItemResult>()
                    var sink = rows.sink
                    let outcome = try instance.call { $0.delete_books?($1, &paths, &sink, $2) }
                    #expect(outcome.status == .contractBroken)
                    #expect(outcome.errors.first?.subject == "paths")
                }
            }
        }
        withExtendedLifetime(arena) {}
    }
}
