import OverlayABI
import OverlayBridge
import OverlayKit
import Synchronization
import Testing

@Suite("An overlay's entry describes it and makes instances")
struct ExportTests {
    @Test("The entry is one constant record with the version of the contract")
    func entry() throws {
        let entry = OverlayExport.entry(for: ScriptedOverlay.self)
        #expect(entry == OverlayExport.entry(for: ScriptedOverlay.self))
        #expect(entry != OverlayExport.entry(for: EmptyOverlay.self))
        #expect(Int(entry.pointee.struct_size) == MemoryLayout<ovl_entry>.size)
        #expect(entry.pointee.abi_major == OVL_ABI_MAJOR)
        #expect(entry.pointee.abi_minor == OVL_ABI_MINOR)
        let descriptor = try #require(entry.pointee.descriptor)
        #expect(try OverlayDescriptor(descriptor.pointee) == ScriptedOverlay.descriptor)
    }

    @Test("A method is a filled slot if the overlay has its protocol, and a null slot if not")
    func slots() throws {
        func slots(_ type: any Overlay.Type) throws -> [String: Bool] {
            let methods = try #require(OverlayExport.entry(for: type).pointee.methods).pointee
            #expect(Int(methods.struct_size) == MemoryLayout<ovl_methods>.size)
            return [
                "initialize": methods.initialize != nil, "shutdown": methods.shutdown != nil,
                "is_usb_connected": methods.is_usb_connected != nil,
                "is_usb_connected_windows": methods.is_usb_connected_windows != nil,
                "can_handle": methods.can_handle != nil,
                "can_handle_windows": methods.can_handle_windows != nil,
                "books": methods.books != nil, "upload_books": methods.upload_books != nil,
                "add_books_to_metadata": methods.add_books_to_metadata != nil,
                "delete_books": methods.delete_books != nil,
                "remove_books_from_metadata": methods.remove_books_from_metadata != nil,
                "sync_booklists": methods.sync_booklists != nil, "get_file": methods.get_file != nil,
                "prepare_addable_books": methods.prepare_addable_books != nil,
                "eject": methods.eject != nil, "post_yank_cleanup": methods.post_yank_cleanup != nil,
            ]
        }
        let windows: Set = ["is_usb_connected_windows", "can_handle_windows"]
        let always: Set = ["initialize", "shutdown"]
        for (slot, filled) in try slots(ScriptedOverlay.self) {
            #expect(filled != windows.contains(slot), "\(slot)")
        }
        for (slot, filled) in try slots(EmptyOverlay.self) {
            #expect(filled == always.contains(slot), "\(slot)")
        }
    }

    @Test("An initialiser that throws makes no instance and reports why")
    func creationFails() throws {
        var script = OverlayScript()
        script.create = { (_) throws(OverlayError) in throw OverlayError(.busy, "Not now.", hint: "Wait.") }
        let instance = try TestInstance(script)
        #expect(instance.pointer == nil)
        #expect(instance.creation.status == .busy)
        #expect(instance.creation.errors == [OverlayError(.busy, "Not now.", hint: "Wait.")])
    }

    @Test("A create with a null host or a null place for the instance reports a breach")
    func creationWithNull() throws {
        let entry = OverlayExport.entry(for: EmptyOverlay.self).pointee
        typealias Create =
            @convention(c) (
                UnsafePointer<ovl_host>?, UnsafeMutablePointer<OpaquePointer?>?,
                UnsafePointer<ovl_error_sink>?
            ) -> ovl_status
        let create = unsafeBitCast(try #require(entry.create), to: Create.self)
        var host = ovl_host.sized()
        var instance: OpaquePointer?
        #expect(create(nil, &instance, nil) == OVL_CONTRACT_BROKEN)
        #expect(create(&host, nil, nil) == OVL_CONTRACT_BROKEN)
        host.struct_size = 4
        #expect(create(&host, &instance, nil) == OVL_CONTRACT_BROKEN)
        #expect(instance == nil)
    }

    @Test("A destroy releases the overlay, and a null instance does nothing")
    func destruction() throws {
        let overlay = LifeCount()
        var script = OverlayScript()
        script.eject = { [witness = overlay.witness()] in withExtendedLifetime(witness) {} }
        var instance: TestInstance? = try TestInstance(script)
        script = OverlayScript()
        #expect(instance?.pointer != nil)
        #expect(overlay.living == 1)
        instance = nil
        #expect(overlay.living == 0)

        typealias Destroy = @convention(c) (OpaquePointer?) -> Void
        let destroy = try #require(OverlayExport.entry(for: EmptyOverlay.self).pointee.destroy)
        unsafeBitCast(destroy, to: Destroy.self)(nil)
    }

    @Test("The host's services are asked for by their exact ids, with the smallest size that is of use")
    func services() throws {
        let services = TestServices()
        _ = try TestInstance(services: services)
        #expect(
            Set(services.asked.keys) == [
                "org.overlayhost.log/1", "org.overlayhost.prefs/1", "org.overlayhost.progress/1",
                "org.overlayhost.cancel/1", "org.overlayhost.transport/1",
                "org.overlayhost.sniff/1", "org.overlayhost.fetch/1", "org.overlayhost.metadata/1",
                "org.overlayhost.storage/1", "org.overlayhost.calls/1", "org.overlayhost.source/1",
            ])
        #expect(Set(services.asked.values) == [16])
    }
}

/// Counts how many of its witnesses are alive.
private final class LifeCount: Sendable {
    private let count = Mutex(0)

    var living: Int { count.withLock { $0 } }

    func witness() -> any AnyObject & Sendable { Witness(self) }

    private final class Witness: Sendable {
        let life: LifeCount
        init(_ life: LifeCount) {
            self.life = life
            life.count.withLock { $0 += 1 }
        }
        deinit { life.count.withLock { $0 -= 1 } }
    }
}
