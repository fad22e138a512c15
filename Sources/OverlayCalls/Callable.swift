import CLibffi
import Diagnostics
import OverlayABI
import Synchronization

/// Receives the calls of a function pointer that this module creates, with their raw arguments.
package protocol CallTarget: AnyObject, Sendable {
    /// Makes the call. `arguments` contains the addresses of the arguments; `result` has space for 8 bytes.
    func invoke(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer)
}

/// Creates C function pointers from plans.
///
/// A function whose first argument is a context or an instance has one pointer for the complete program: that argument
/// is a token for the object to call. Pointers are never freed.
package enum Callable {
    /// Called for a call with a token that has ended, such as that of a sink after its method has returned.
    package static let strayCalls = Mutex<(@Sendable (FunctionPlan) -> Void)?>(nil)

    /// Whether the first argument of a function is a token.
    package static func hasToken(_ function: FunctionPlan) -> Bool {
        guard let first = function.arguments.first, !first.isOut else { return false }
        return first.kind == OVL_KIND_CONTEXT || first.kind == OVL_KIND_INSTANCE
    }

    /// The pointer for a function with a token; nil if the system cannot provide the memory.
    static func shared(_ function: FunctionPlan) -> UnsafeRawPointer? {
        guard hasToken(function) else { return nil }
        return make(function, Unmanaged.passUnretained(function).toOpaque()) { _, result, arguments, data in
            guard let result, let arguments, let data else { return }
            let function = Unmanaged<FunctionPlan>.fromOpaque(data).takeUnretainedValue()
            let token = arguments[0]?.load(as: UInt.self) ?? 0
            guard let target = TokenTable.shared.target(token) else {
                function.fail(OVL_WRONG_STATE, nil, arguments, result)
                Callable.strayCalls.withLock { $0 }?(function)
                return
            }
            target.invoke(function, arguments, result)
        }
    }

    /// A pointer for a function of the other side without a token. It shows that the other side has the function,
    /// which is called by its number.
    package static var notHere: UnsafeRawPointer {
        let code: @convention(c) () -> ovl_status = { OVL_NOT_SUPPORTED }
        return unsafeBitCast(code, to: UnsafeRawPointer.self)
    }

    typealias Handler =
        @convention(c) (
            UnsafeMutablePointer<ffi_cif>?, UnsafeMutableRawPointer?,
            UnsafeMutablePointer<UnsafeMutableRawPointer?>?, UnsafeMutableRawPointer?
        ) -> Void

    /// The pointer for a function, whose calls `handler` receives together with `data`; nil if the system cannot
    /// provide the memory.
    static func make(
        _ function: FunctionPlan, _ data: UnsafeMutableRawPointer, _ handler: @escaping Handler
    ) -> UnsafeRawPointer? {
        var code: UnsafeMutableRawPointer?
        guard let memory = ffi_closure_alloc(MemoryLayout<ffi_closure>.size, &code), let code else {
            return nil
        }
        let closure = memory.assumingMemoryBound(to: ffi_closure.self)
        guard ffi_prep_closure_loc(closure, function.interface, handler, data, code) == FFI_OK else {
            ffi_closure_free(memory)
            return nil
        }
        return UnsafeRawPointer(code)
    }
}

extension FunctionPlan {
    /// Calls the C function at `code`. `values` contains the addresses of the arguments; `result` has space for 8
    /// bytes.
    package func call(
        _ code: UnsafeRawPointer, _ values: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        ffi_call(interface, unsafeBitCast(code, to: (@convention(c) () -> Void).self), result, values)
    }

    /// Stores the result of a call as libffi requires it for a closure: integers are extended to a word.
    package func store(_ bits: UInt64, _ result: UnsafeMutableRawPointer) {
        switch self.result {
        case OVL_KIND_VOID: return
        case OVL_KIND_I32, OVL_KIND_STATUS:
            result.storeBytes(of: Int64(Int32(truncatingIfNeeded: bits)), as: Int64.self)
        case OVL_KIND_U32: result.storeBytes(of: UInt64(UInt32(truncatingIfNeeded: bits)), as: UInt64.self)
        default: result.storeBytes(of: bits, as: UInt64.self)
        }
    }

    /// Sets the result of a call that could not be made: `status` for a function that returns a status, after putting
    /// an error with the texts of `failure`, otherwise zero.
    package func fail(
        _ status: ovl_status, _ failure: (any CodedFailure)?,
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer
    ) {
        store(self.result == OVL_KIND_STATUS ? UInt64(bitPattern: Int64(status)) : 0, result)
        guard let failure, errorArgument >= 0,
            let sink = arguments[errorArgument]?.load(as: UnsafePointer<ovl_error_sink>?.self),
            // The sink itself may be the reason for the failure.
            Int(sink.pointee.struct_size) >= MemoryLayout<ovl_error_sink>.size, let put = sink.pointee.put
        else { return }
        failure.withRecord(status) { put(sink.pointee.ctx, $0) }
    }
}

extension CodedFailure {
    fileprivate func withRecord(_ status: ovl_status, _ body: (UnsafePointer<ovl_error>) -> Void) {
        func with(_ text: String?, _ body: (ovl_text) -> Void) {
            guard var text else { return body(ovl_text()) }
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    body(ovl_text(data: $0.baseAddress, size: UInt64($0.count)))
                }
            }
        }
        with(message) { message in
            with(subject) { subject in
                with(hint) { hint in
                    var record = ovl_error()
                    record.struct_size = UInt32(MemoryLayout<ovl_error>.size)
                    record.status = status
                    record.message = message
                    record.subject = subject
                    record.hint = hint
                    body(&record)
                }
            }
        }
    }
}
