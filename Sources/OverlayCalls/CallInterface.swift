import CLibffi
import OverlayABI

/// Describes functions for libffi.
enum CallInterface {
    /// Creates a description, which is never freed; nil for a result of an unsupported type.
    static func make(_ arguments: [ArgumentPlan], result: UInt32) -> UnsafeMutablePointer<ffi_cif>? {
        let types = UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>.allocate(
            capacity: max(arguments.count, 1))
        for (index, argument) in arguments.enumerated() {
            types[index] = argument.isPointer ? clibffi_pointer() : scalar(argument.kind)
        }
        let interface = UnsafeMutablePointer<ffi_cif>.allocate(capacity: 1)
        guard let type = resultType(result),
            ffi_prep_cif(interface, FFI_DEFAULT_ABI, UInt32(arguments.count), type, types) == FFI_OK
        else {
            types.deallocate()
            interface.deallocate()
            return nil
        }
        return interface
    }

    private static func resultType(_ kind: UInt32) -> UnsafeMutablePointer<ffi_type>? {
        switch kind {
        case OVL_KIND_VOID: clibffi_void()
        case OVL_KIND_TABLE: clibffi_pointer()
        default: ArgumentPlan.bytes(of: kind).flatMap { _ in scalar(kind) }
        }
    }

    private static func scalar(_ kind: UInt32) -> UnsafeMutablePointer<ffi_type>? {
        switch kind {
        case OVL_KIND_I32, OVL_KIND_STATUS: clibffi_sint32()
        case OVL_KIND_U32: clibffi_uint32()
        case OVL_KIND_I64: clibffi_sint64()
        case OVL_KIND_F64: clibffi_double()
        default: clibffi_uint64()
        }
    }
}
