import Foundation
import OverlayABI
import OverlayBridge
import OverlayKit

/// The result of a call into an overlay: its status, and the errors that it put into the sink.
struct CallOutcome {
    var status: OverlayStatus
    var errors: [OverlayError]
}

/// Makes an error sink that fills an array, and calls `body` with it.
func collectingErrors(_ body: (UnsafePointer<ovl_error_sink>) -> ovl_status) -> CallOutcome {
    var errors: [OverlayError] = []
    let status = withUnsafeMutablePointer(to: &errors) { errors in
        var sink = ovl_error_sink.sized()
        sink.ctx = UnsafeMutableRawPointer(errors)
        sink.put = {
            $0?.assumingMemoryBound(to: [OverlayError].self).pointee.append(OverlayError($1.pointee))
        }
        return body(&sink)
    }
    return CallOutcome(status: OverlayStatus(rawValue: status), errors: errors)
}

/// An instance of `ScriptedOverlay`, created and called through its C tables like a host does it.
final class TestInstance {
    let methods: ovl_methods
    let creation: CallOutcome
    let pointer: OpaquePointer?
    private let destroy: (OpaquePointer) -> Void

    init(_ script: OverlayScript = OverlayScript(), services: TestServices = TestServices()) throws {
        let name = UUID().uuidString
        script.register(name)
        defer { OverlayScript.forget(name) }
        let entry = OverlayExport.entry(for: ScriptedOverlay.self).pointee
        guard let methods = entry.methods?.pointee, let create = entry.create, let destroy = entry.destroy
        else {
            throw OverlayError(.failed, "The entry is not complete.")
        }
        self.methods = methods
        self.destroy = { destroy($0) }
        let arena = Arena()
        var host = ovl_host.sized()
        host.name = arena.text(name)
        host.version = arena.text("1.0")
        host.abi_major = OVL_ABI_MAJOR
        host.ctx = Unmanaged.passUnretained(services).toOpaque()
        host.get_service = { context, id, size in TestServices.table(context, id.pointee, size) }
        var pointer: OpaquePointer?
        creation = withExtendedLifetime((arena, services)) {
            collectingErrors { create(&host, &pointer, $0) }
        }
        self.pointer = pointer
    }

    deinit {
        if let pointer { destroy(pointer) }
    }

    func call(
        _ body: (ovl_methods, OpaquePointer, UnsafePointer<ovl_error_sink>) -> ovl_status?
    ) throws -> CallOutcome {
        guard let pointer else { throw OverlayError(.failed, "There is no instance.") }
        return collectingErrors { body(methods, pointer, $0) ?? -1 }
    }
}

/// The service tables of a test host.
final class TestServices {
    var log: UnsafeMutablePointer<ovl_log_service>?
    var prefs: UnsafeMutablePointer<ovl_prefs_service>?
    /// The requested ids and sizes.
    var asked: [String: UInt32] = [:]

    deinit {
        log?.deallocate()
        prefs?.deallocate()
    }

    static func table(_ context: UnsafeMutableRawPointer?, _ id: ovl_text, _ size: UInt32)
        -> UnsafeRawPointer?
    {
        guard let context, let id = try? id.string("id") else { return nil }
        let services = Unmanaged<TestServices>.fromOpaque(context).takeUnretainedValue()
        services.asked[id] = size
        switch id {
        case OVL_SERVICE_LOG: return UnsafeRawPointer(services.log)
        case OVL_SERVICE_PREFS: return UnsafeRawPointer(services.prefs)
        default: return nil
        }
    }
}
