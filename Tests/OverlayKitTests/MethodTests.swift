import OverlayABI
import OverlayBridge
import OverlayKit
import Synchronization
import Testing

@Suite("A method of the contract reaches the overlay, and its results reach the host")
struct MethodTests {
    @Test("The calls of initialize, shutdown, eject and post_yank_cleanup are passed on")
    func plainMethods() throws {
        let calls = Mutex<[String]>([])
        try withoutActuallyEscaping({ @Sendable (name: String) in calls.withLock { $0.append(name) } }) {
            note in
            var script = OverlayScript()
            script.initialize = { note("initialize") }
            script.shutdown = { note("shutdown") }
            script.eject = { note("eject") }
            script.cleanUp = { note("cleanUp") }
            let instance = try TestInstance(script)
            #expect(try instance.call { $0.initialize?($1, $2) }.status == .ok)
            #expect(try instance.call { $0.eject?($1, $2) }.status == .ok)
            #expect(try instance.call { $0.post_yank_cleanup?($1, $2) }.status == .ok)
            #expect(try instance.call { $0.shutdown?($1, $2) }.status == .ok)
        }
        #expect(calls.withLock { $0 } == ["initialize", "eject", "cleanUp", "shutdown"])
    }

    @Test("The answer of is_usb_connected is the index of the device, or -1", arguments: [nil, 0, 1])
    func usb(_ answer: Int?) throws {
        var script = OverlayScript()
        script.isUSBConnected = { devices, presenceOnly in
            presenceOnly && devices.map(\.serial) == ["a", "b"] ? answer : nil
        }
        let instance = try TestInstance(script)
        let arena = Arena()
        var devices = arena.list(["a", "b"]) { Fingerprint(serial: $0).record(in: arena) }
        var index: Int64 = 77
        let outcome = try instance.call { $0.is_usb_connected?($1, &devices, 1, &index, $2) }
        #expect(outcome.status == .ok)
        #expect(index == answer.map(Int64.init) ?? -1)
        withExtendedLifetime(arena) {}
    }

    @Test("A device from is_usb_connected that was not offered is a failure of the overlay")
    func usbOutOfRange() throws {
        var script = OverlayScript()
        script.isUSBConnected = { _, _ in 5 }
        let instance = try TestInstance(script)
        var devices = ovl_list()
        var index: Int64 = 77
        let outcome = try instance.call { $0.is_usb_connected?($1, &devices, 0, &index, $2) }
        #expect(outcome.status == .failed)
        #expect(outcome.errors.count == 1)
        #expect(index == -1)
    }

    @Test("A can_handle puts exactly one answer")
    func canHandle() throws {
        var script = OverlayScript()
        script.canHandle = { .notNow(.appOffline, "Off: \($0.serial ?? "?")", hint: "Start it.") }
        let instance = try TestInstance(script)
        let arena = Arena()
        var device = Fingerprint(serial: "udid").record(in: arena)
        let answers = TestSink<Presence>()
        var sink = answers.sink
        let outcome = try instance.call { $0.can_handle?($1, &device, &sink, $2) }
        #expect(outcome.status == .ok)
        #expect(answers.rows == [.notNow(.appOffline, "Off: udid", hint: "Start it.")])
        withExtendedLifetime(arena) {}
    }

    @Test("The method books pushes every book in order, with the options the host gave")
    func books() throws {
        var script = OverlayScript()
        script.books = { (options, each) throws(OverlayError) in
            try each(.complete)
            try each(Book(path: "covers \(options.withCovers) volume \(options.volume.rawValue)"))
        }
        let instance = try TestInstance(script)
        let books = TestSink<Book>()
        var sink = books.sink
        let arena = Arena()
        var options = BooksOptions(withCovers: true, volume: .cardA).record(in: arena)
        let outcome = try instance.call { $0.books?($1, &options, &sink, $2) }
        #expect(outcome.status == .ok && outcome.errors.isEmpty)
        #expect(books.rows == [.complete, Book(path: "covers true volume 1")])
    }

    @Test("The method upload_books gets items and options, and its rows arrive")
    func upload() throws {
        var script = OverlayScript()
        script.upload = { (items, options, report) throws(OverlayError) in
            for (index, item) in items.enumerated() {
                try report(.done(index, .added, path: "\(item.name) in \(options.collections ?? [])"))
            }
        }
        let instance = try TestInstance(script)
        let arena = Arena()
        var items = arena.list(["x.epub", "y.epub"]) {
            UploadItem(file: HostFile(rawValue: 1), name: $0, book: .complete).record(in: arena)
        }
        var options = UploadOptions(collections: ["Neu"]).record(in: arena)
        let rows = TestSink<ItemResult>()
        var sink = rows.sink
        let outcome = try instance.call { $0.upload_books?($1, &items, &options, &sink, $2) }
        #expect(outcome.status == .ok)
        #expect(rows.rows.map(\.path) == ["x.epub in [\"Neu\"]", "y.epub in [\"Neu\"]"])
        withExtendedLifetime(arena) {}
    }

    @Test("The methods delete_books and prepare_addable_books get the paths, and their rows arrive")
    func paths() throws {
        var script = OverlayScript()
        script.paths = { (paths, report) throws(OverlayError) in
            for (index, path) in paths.enumerated() { try report(.done(index, .deleted, path: path)) }
        }
        let instance = try TestInstance(script)
        let arena = Arena()
        var paths = arena.texts(["/a", "/ü"])
        for method in [instance.methods.delete_books, instance.methods.prepare_addable_books] {
            let rows = TestSink<ItemResult>()
            var sink = rows.sink
            let outcome = try instance.call { method?($1, &paths, &sink, $2) }
            #expect(outcome.status == .ok)
            #expect(rows.rows.map(\.path) == ["/a", "/ü"])
        }
        withExtendedLifetime(arena) {}
    }

    @Test("The edits of both booklist methods arrive in order")
    func edits() throws {
        var script = OverlayScript()
        script.edits = { added, paths, snapshot in
            added.map { .insert($0) } + paths.map { _ in .remove(snapshot.count - 1) }
        }
        let instance = try TestInstance(script)
        let arena = Arena()
        var added = arena.list([Book.complete]) { $0.record(in: arena) }
        var snapshot = arena.list([Book(path: "a"), Book(path: "b")]) { $0.record(in: arena) }
        var paths = arena.texts(["b"])
        let edits = TestSink<BooklistEdit>()
        var sink = edits.sink
        #expect(
            try instance.call { $0.add_books_to_metadata?($1, &added, &snapshot, &sink, $2) }.status == .ok)
        #expect(
            try instance.call { $0.remove_books_from_metadata?($1, &paths, &snapshot, &sink, $2) }.status
                == .ok)
        #expect(edits.rows == [.insert(.complete), .remove(1)])
        withExtendedLifetime(arena) {}
    }

    @Test("The method sync_booklists gets the edited books")
    func sync() throws {
        var script = OverlayScript()
        script.sync = { (books, report) throws(OverlayError) in
            for (index, book) in books.enumerated() { try report(.done(index, .updated, path: book.path)) }
        }
        let instance = try TestInstance(script)
        let arena = Arena()
        var books = arena.list([Book.complete]) { $0.record(in: arena) }
        let rows = TestSink<ItemResult>()
        var sink = rows.sink
        #expect(try instance.call { $0.sync_booklists?($1, &books, &sink, $2) }.status == .ok)
        #expect(rows.rows == [.done(0, .updated, path: Book.complete.path)])
        withExtendedLifetime(arena) {}
    }

    @Test("The method get_file passes on each piece, even an empty one, with offset and total")
    func getFile() throws {
        var script = OverlayScript()
        script.getFile = { (path, each) throws(OverlayError) in
            guard path == "/b" else { throw OverlayError(.notFound, "No such book.", subject: path) }
            var failure: OverlayError?
            [UInt8]("hello".utf8).withUnsafeBytes { bytes in
                do throws(OverlayError) {
                    try each(bytes, 0, 5)
                    try each(UnsafeRawBufferPointer(start: nil, count: 0), 5, nil)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
        }
        let instance = try TestInstance(script)
        let arena = Arena()
        var path = arena.text("/b")
        let chunks = TestSink<TestChunk>()
        var sink = chunks.sink
        #expect(try instance.call { $0.get_file?($1, &path, &sink, $2) }.status == .ok)
        #expect(
            chunks.rows == [
                TestChunk(bytes: Array("hello".utf8), offset: 0, total: 5),
                TestChunk(bytes: [], offset: 5, total: .max),
            ])
        var missing = arena.text("/c")
        let outcome = try instance.call { $0.get_file?($1, &missing, &sink, $2) }
        #expect(outcome.errors == [OverlayError(.notFound, "No such book.", subject: "/c")])
        withExtendedLifetime(arena) {}
    }
}
