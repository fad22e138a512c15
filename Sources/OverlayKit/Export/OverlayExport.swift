import OverlayABI
import OverlayBridge
import Synchronization

/// Creates the entry record of an overlay.
public enum OverlayExport {
    /// The entry record of an overlay. It is constant and never freed.
    ///
    /// An overlay exports it with one line:
    ///
    ///     @c @implementation
    ///     public func ovl_entry_v1() -> UnsafePointer<ovl_entry> { OverlayExport.entry(for: MyOverlay.self) }
    ///
    /// May be called any number of times from any thread; all calls for a type return the same pointer. One image can
    /// export at most as many types as `creators` has elements. This is relevant only for tests, because a library
    /// has one entry function. A further type gets an entry without `create`, which a host refuses.
    public static func entry(for type: any Overlay.Type) -> UnsafePointer<ovl_entry> {
        registry.withLock { registry in
            let id = ObjectIdentifier(type)
            if let known = registry.entries[id] { return known.pointer }
            let number = registry.types.count
            registry.types.append(type)
            let create = creators.indices.contains(number) ? creators[number] : nil
            let entry = Constant(pointer: makeEntry(for: type, create: create))
            registry.entries[id] = entry
            return entry.pointer
        }
    }

    typealias Create =
        @convention(c) (
            UnsafePointer<ovl_host>, UnsafeMutablePointer<OpaquePointer?>, UnsafePointer<ovl_error_sink>
        ) -> ovl_status

    /// The exported types of this image in order, and their entries.
    private struct Registry {
        var types: [any Overlay.Type] = []
        var entries: [ObjectIdentifier: Constant] = [:]
    }

    /// `@unchecked`: the record is not changed after the pointer exists, and never freed.
    private struct Constant: @unchecked Sendable {
        let pointer: UnsafePointer<ovl_entry>
    }

    private static let registry = Mutex(Registry())

    /// `create` does not have an argument for the type, and a C function cannot capture values, so each type that
    /// this image exports has its own function.
    private static let creators: [Create] = [
        { create(0, $0, $1, $2) }, { create(1, $0, $1, $2) }, { create(2, $0, $1, $2) },
        { create(3, $0, $1, $2) }, { create(4, $0, $1, $2) }, { create(5, $0, $1, $2) },
        { create(6, $0, $1, $2) }, { create(7, $0, $1, $2) }, { create(8, $0, $1, $2) },
        { create(9, $0, $1, $2) }, { create(10, $0, $1, $2) }, { create(11, $0, $1, $2) },
        { create(12, $0, $1, $2) }, { create(13, $0, $1, $2) }, { create(14, $0, $1, $2) },
        { create(15, $0, $1, $2) }, { create(16, $0, $1, $2) }, { create(17, $0, $1, $2) },
        { create(18, $0, $1, $2) }, { create(19, $0, $1, $2) }, { create(20, $0, $1, $2) },
        { create(21, $0, $1, $2) }, { create(22, $0, $1, $2) }, { create(23, $0, $1, $2) },
    ]

    private static func create(
        _ number: Int, _ host: UnsafePointer<ovl_host>, _ instance: UnsafeMutablePointer<OpaquePointer?>,
        _ sink: UnsafePointer<ovl_error_sink>
    ) -> ovl_status {
        do throws(OverlayError) {
            guard let instance = UnsafeMutablePointer<OpaquePointer?>(bitPattern: UInt(bitPattern: instance))
            else { throw OverlayError.contractBroken("A null pointer for the instance was passed.") }
            instance.pointee = nil
            let services = try HostServices(ovl_host.copy(required: host))
            let type = registry.withLock { $0.types[number] }
            instance.pointee = Instance(try type.init(host: services)).handOver()
            return OVL_OK
        } catch {
            return error.report(to: sink)
        }
    }

    /// Builds the constant tables of a type. They exist as long as the image, which is never unloaded.
    private static func makeEntry(for type: any Overlay.Type, create: Create?) -> UnsafePointer<ovl_entry> {
        var methods = ovl_methods.sized()
        methods.fillLifeSlots()
        methods.fillDeviceSlots(type)
        methods.fillBookSlots(type)
        methods.fillBooklistSlots(type)
        methods.fillSettingsSlots(type)
        methods.fillSourceSlots(type)

        let arena = Arena()
        // The views of the descriptor point into the arena, so never free it.
        _ = Unmanaged.passRetained(arena)
        var entry = ovl_entry.sized()
        entry.abi_major = OVL_ABI_MAJOR
        entry.abi_minor = OVL_ABI_MINOR
        entry.descriptor = constant(type.descriptor.record(in: arena), in: arena)
        entry.methods = constant(methods, in: arena)
        entry.create = create
        entry.destroy = { Instance.takeBack($0) }
        return constant(entry, in: arena)
    }

    private static func constant<Record: ABIRecord>(_ record: Record, in arena: Arena) -> UnsafePointer<
        Record
    > {
        let memory = arena.allocate(MemoryLayout<Record>.size).assumingMemoryBound(to: Record.self)
        memory.initialize(to: record)
        return UnsafePointer(memory)
    }
}
