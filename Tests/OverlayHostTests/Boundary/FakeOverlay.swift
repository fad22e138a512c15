import DeviceTransport
import JSON
import Logging
import OverlayABI
import OverlayBridge
import Synchronization
import Testing

@testable import HostContract
@testable import OverlayHost

/// An overlay made of closures, behind the real tables of the ABI. A method without a closure is a null pointer.
///
/// `create` has no argument that identifies the overlay, so it reads a key of its preferences.
final class FakeOverlay: @unchecked Sendable {
    // Unchecked: set up before the first call, and afterwards used by the instance's thread while the test waits.
    typealias ErrorSink = UnsafePointer<ovl_error_sink>

    var create: ((ErrorSink) -> ovl_status)?
    var initialize: ((ErrorSink) -> ovl_status)?
    var shutdown: ((ErrorSink) -> ovl_status)?
    var isUSBConnected:
        ((UnsafePointer<ovl_list>, Int32, UnsafeMutablePointer<Int64>, ErrorSink) -> ovl_status)?
    var canHandle:
        ((UnsafePointer<ovl_fingerprint>, UnsafePointer<ovl_presence_sink>, ErrorSink) -> ovl_status)?
    var books: ((UnsafePointer<ovl_books_options>, UnsafePointer<ovl_book_sink>, ErrorSink) -> ovl_status)?
    var upload:
        (
            (
                UnsafePointer<ovl_list>, UnsafePointer<ovl_upload_options>, UnsafePointer<ovl_result_sink>,
                ErrorSink
            ) -> ovl_status
        )?
    var add:
        (
            (UnsafePointer<ovl_list>, UnsafePointer<ovl_list>, UnsafePointer<ovl_edit_sink>, ErrorSink) ->
                ovl_status
        )?
    var delete: ((UnsafePointer<ovl_texts>, UnsafePointer<ovl_result_sink>, ErrorSink) -> ovl_status)?
    var remove:
        (
            (UnsafePointer<ovl_texts>, UnsafePointer<ovl_list>, UnsafePointer<ovl_edit_sink>, ErrorSink) ->
                ovl_status
        )?
    var sync: ((UnsafePointer<ovl_list>, UnsafePointer<ovl_result_sink>, ErrorSink) -> ovl_status)?
    var getFile: ((UnsafePointer<ovl_text>, UnsafePointer<ovl_bytes_sink>, ErrorSink) -> ovl_status)?
    var prepare: ((UnsafePointer<ovl_texts>, UnsafePointer<ovl_result_sink>, ErrorSink) -> ovl_status)?
    var eject: ((ErrorSink) -> ovl_status)?
    var cleanUp: ((ErrorSink) -> ovl_status)?
    var settings: ((UnsafePointer<ovl_settings_sink>, ErrorSink) -> ovl_status)?
    var perform:
        (
            (
                UnsafePointer<ovl_text>, UnsafePointer<ovl_list>, UnsafePointer<ovl_texts>,
                UnsafePointer<ovl_bytes_sink>, ErrorSink
            ) -> ovl_status
        )?
    var syncSource:
        (
            (
                UnsafePointer<ovl_sync_options>, UnsafePointer<ovl_sync_row_sink>,
                UnsafePointer<ovl_result_sink>, ErrorSink
            ) -> ovl_status
        )?
    var destroyed: (() -> Void)?
    /// The minor version of the contract with which it was built.
    var minor = OVL_ABI_MINOR

    /// The host that `create` received.
    private(set) var host: UnsafePointer<ovl_host>?
    let id = "fake-\(UInt64.random(in: 0...UInt64.max))"

    private static let registry = Mutex<[String: FakeOverlay]>([:])

    /// The registry keeps every fake as long as the process runs, because instances do not own it.
    init() { Self.registry.withLock { $0[id] = self } }

    /// The overlay as the loader would load it.
    var loaded: LoadedOverlay {
        var entry = ovl_entry()
        entry.struct_size = UInt32(MemoryLayout<ovl_entry>.size)
        entry.abi_major = OVL_ABI_MAJOR
        entry.abi_minor = minor
        entry.create = { host, instance, error in
            guard let fake = FakeOverlay.named(by: host) else { return OVL_FAILED }
            fake.host = host
            if let create = fake.create {
                let status = create(error)
                if status != OVL_OK || fake.givesNoInstance { return status }
            }
            instance.pointee = OpaquePointer(Unmanaged.passUnretained(fake).toOpaque())
            return OVL_OK
        }
        entry.destroy = { FakeOverlay.from($0).destroyed?() }
        return LoadedOverlay(
            file: "fake.so", loadedFile: "fake.so", descriptor: descriptor, entry: entry, methods: methods)
    }

    /// Makes `create` succeed without an instance.
    var givesNoInstance = false

    var descriptor = OverlayDescription(
        id: "fake", name: "Fake", version: "1.0.0", appName: "Reader", appIDs: ["com.example.reader"],
        formats: ["epub", "pdf"],
        options: [
            Preference("fake_script", .text, owner: .overlay("fake"), "Which fake it is."),
            Preference("fake_number", .integer, default: .integer(7), owner: .overlay("fake"), "A number."),
            Preference("fake_list", .texts, owner: .overlay("fake"), "A list."),
        ])

    /// Preferences that lead `create` to this fake.
    func preferences(_ more: [String: JSONValue] = [:], file: String = "/nonexistent/prefs.json")
        -> (Preferences, PreferenceValues)
    {
        let schema = PreferenceSchema.builtIn.merging(descriptor)
        var stored = JSONObject()
        stored["fake_script"] = .string(id)
        for (key, value) in more { stored[key] = value }
        return (
            Preferences(file: file, schema: schema),
            PreferenceValues(file: file, schema: schema, stored: stored)
        )
    }

    private static func named(by host: UnsafePointer<ovl_host>) -> FakeOverlay? {
        guard let prefs: UnsafePointer<ovl_prefs_service> = service(OVL_SERVICE_PREFS, of: host) else {
            return nil
        }
        let found = Found()
        var sink = ovl_text_sink.sized()
        sink.ctx = Unmanaged.passUnretained(found).toOpaque()
        sink.put = { context, text in
            guard let context, let id = text.pointee.readMessage() else { return OVL_FAILED }
            Unmanaged<Found>.fromOpaque(context).takeUnretainedValue().id = id
            return OVL_OK
        }
        withText("fake_script") { key in _ = prefs.pointee.get_texts?(prefs.pointee.ctx, key, &sink, nil) }
        return registry.withLock { $0[found.id] }
    }

    private final class Found {
        var id = ""
    }

    private static func from(_ instance: OpaquePointer) -> FakeOverlay {
        Unmanaged<FakeOverlay>.fromOpaque(UnsafeRawPointer(instance)).takeUnretainedValue()
    }

    /// The table of a service, or nil.
    func service<Table>(_ id: String, size: Int = MemoryLayout<Table>.size) -> UnsafePointer<Table>? {
        host.flatMap { Self.service(id, of: $0, size: size) }
    }

    static func service<Table>(
        _ id: String, of host: UnsafePointer<ovl_host>, size: Int = MemoryLayout<Table>.size
    ) -> UnsafePointer<Table>? {
        withText(id) { host.pointee.get_service?(host.pointee.ctx, $0, UInt32(size)) }?
            .assumingMemoryBound(to: Table.self)
    }

    var storage: ovl_storage_service {
        let table: UnsafePointer<ovl_storage_service>? = service(OVL_SERVICE_STORAGE)
        return table?.pointee ?? ovl_storage_service()
    }

    var calls: ovl_calls_service {
        let table: UnsafePointer<ovl_calls_service>? = service(OVL_SERVICE_CALLS)
        return table?.pointee ?? ovl_calls_service()
    }

    var transport: ovl_transport_service {
        let table: UnsafePointer<ovl_transport_service>? = service(OVL_SERVICE_TRANSPORT)
        return table?.pointee ?? ovl_transport_service()
    }

    private var methods: ovl_methods {
        var table = ovl_methods()
        table.struct_size = UInt32(MemoryLayout<ovl_methods>.size)
        if initialize != nil { table.initialize = { FakeOverlay.from($0).initialize?($1) ?? OVL_FAILED } }
        if shutdown != nil { table.shutdown = { FakeOverlay.from($0).shutdown?($1) ?? OVL_FAILED } }
        if isUSBConnected != nil {
            table.is_usb_connected = { FakeOverlay.from($0).isUSBConnected?($1, $2, $3, $4) ?? OVL_FAILED }
        }
        if canHandle != nil {
            table.can_handle = { FakeOverlay.from($0).canHandle?($1, $2, $3) ?? OVL_FAILED }
        }
        if books != nil { table.books = { FakeOverlay.from($0).books?($1, $2, $3) ?? OVL_FAILED } }
        if upload != nil {
            table.upload_books = { FakeOverlay.from($0).upload?($1, $2, $3, $4) ?? OVL_FAILED }
        }
        if add != nil {
            table.add_books_to_metadata = { FakeOverlay.from($0).add?($1, $2, $3, $4) ?? OVL_FAILED }
        }
        if delete != nil { table.delete_books = { FakeOverlay.from($0).delete?($1, $2, $3) ?? OVL_FAILED } }
        if remove != nil {
            table.remove_books_from_metadata = { FakeOverlay.from($0).remove?($1, $2, $3, $4) ?? OVL_FAILED }
        }
        if sync != nil { table.sync_booklists = { FakeOverlay.from($0).sync?($1, $2, $3) ?? OVL_FAILED } }
        if getFile != nil { table.get_file = { FakeOverlay.from($0).getFile?($1, $2, $3) ?? OVL_FAILED } }
        if prepare != nil {
            table.prepare_addable_books = { FakeOverlay.from($0).prepare?($1, $2, $3) ?? OVL_FAILED }
        }
        if eject != nil { table.eject = { FakeOverlay.from($0).eject?($1) ?? OVL_FAILED } }
        if settings != nil { table.settings = { FakeOverlay.from($0).settings?($1, $2) ?? OVL_FAILED } }
        if syncSource != nil {
            table.sync_source = { FakeOverlay.from($0).syncSource?($1, $2, $3, $4) ?? OVL_FAILED }
        }
        if perform != nil {
            table.perform = { FakeOverlay.from($0).perform?($1, $2, $3, $4, $5) ?? OVL_FAILED }
        }
        if cleanUp != nil { table.post_yank_cleanup = { FakeOverlay.from($0).cleanUp?($1) ?? OVL_FAILED } }
        return table
    }
}

/// Passes a text to `body` as a view.
func withText<Result>(_ text: String, _ body: (UnsafePointer<ovl_text>) -> Result) -> Result {
    let memory = Arena()
    let view = memory.text(text)
    return withExtendedLifetime(memory) { withUnsafePointer(to: view, body) }
}

/// Passes texts to `body` as a view.
func withTexts<Result>(_ texts: [String], _ body: (UnsafePointer<ovl_texts>) -> Result) -> Result {
    let memory = Arena()
    let view = memory.texts(texts)
    return withExtendedLifetime(memory) { withUnsafePointer(to: view, body) }
}

extension UnsafePointer<ovl_error_sink> {
    /// Fails a method with an error record.
    func fail(_ status: ovl_status, _ message: String, subject: String? = nil, hint: String? = nil)
        -> ovl_status
    {
        let memory = Arena()
        var record = ovl_error.sized()
        record.status = status
        record.message = memory.text(message)
        record.subject = memory.text(subject)
        record.hint = memory.text(hint)
        withExtendedLifetime(memory) { pointee.put?(pointee.ctx, &record) }
        return status
    }
}

extension UnsafePointer<ovl_book_sink> {
    /// Puts a book after `change` has modified its record.
    @discardableResult
    func put(_ book: BookRecord, _ change: (inout ovl_book) -> Void = { _ in }) -> ovl_status {
        let memory = Arena()
        var record = memory.book(book)
        change(&record)
        return withExtendedLifetime(memory) { pointee.put?(pointee.ctx, &record) ?? OVL_FAILED }
    }
}

extension UnsafePointer<ovl_result_sink> {
    /// Puts a row.
    @discardableResult
    func put(
        _ index: UInt64, _ outcome: UInt32, status: ovl_status = OVL_OK, path: String? = nil,
        message: String? = nil,
        file: UInt64 = 0, size: Int = MemoryLayout<ovl_item_result>.size
    ) -> ovl_status {
        let memory = Arena()
        var record = ovl_item_result.sized()
        record.struct_size = UInt32(size)
        record.index = index
        record.outcome = outcome
        record.status = status
        record.path = memory.text(path)
        record.message = memory.text(message)
        record.file = file
        return withExtendedLifetime(memory) { pointee.put?(pointee.ctx, &record) ?? OVL_FAILED }
    }
}

extension UnsafePointer<ovl_presence_sink> {
    /// Puts an answer.
    @discardableResult
    func put(_ answer: UInt32, reason: UInt32 = OVL_REASON_NONE, message: String? = nil) -> ovl_status {
        let memory = Arena()
        var record = ovl_presence.sized()
        record.answer = answer
        record.reason = reason
        record.message = memory.text(message)
        return withExtendedLifetime(memory) { pointee.put?(pointee.ctx, &record) ?? OVL_FAILED }
    }
}

/// Catches the error of a service function.
final class CaughtError {
    private(set) var status: ovl_status?
    private(set) var message: String?

    /// Calls `body` with a sink that fills this object.
    func sink<Result>(_ body: (UnsafePointer<ovl_error_sink>) -> Result) -> Result {
        var sink = ovl_error_sink.sized()
        sink.ctx = Unmanaged.passUnretained(self).toOpaque()
        sink.put = { context, error in
            guard let context else { return }
            let caught = Unmanaged<CaughtError>.fromOpaque(context).takeUnretainedValue()
            caught.status = error.pointee.status
            caught.message = error.pointee.message.readMessage()
        }
        return withUnsafePointer(to: sink, body)
    }
}

extension UnsafePointer<ovl_settings_sink> {
    /// Puts settings; a list that is nil is absent.
    @discardableResult
    func put(
        formats: [String]? = nil, settable: [String]? = nil,
        missing: [(String?, String?, String?)] = [], _ change: (inout ovl_settings) -> Void = { _ in }
    ) -> ovl_status {
        let memory = Arena()
        var record = ovl_settings.sized()
        record.formats = memory.texts(formats)
        record.settable_metadata = memory.texts(settable)
        record.missing = memory.list(missing) { ability, reason, hint in
            var record = ovl_missing.sized()
            record.ability = memory.text(ability)
            record.reason = memory.text(reason)
            record.hint = memory.text(hint)
            return record
        }
        change(&record)
        return withExtendedLifetime(memory) { pointee.put?(pointee.ctx, &record) ?? OVL_FAILED }
    }
}

extension BookRecord {
    /// The book in a record of the host.
    init(checked record: ovl_book) {
        var reader = BookReader(BoundaryLimits.book)
        do throws(ViewFault) {
            let book = try reader.read(record)
            self.init(path: book.path ?? "", book)
        } catch {
            Issue.record(error)
            self.init(path: "")
        }
    }
}
