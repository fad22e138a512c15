import DeviceTransport
import HostContent
import HostContract
import HostErrors
import OverlayABI

// What the services share that use files of the device.
extension HostService {
    /// The files of an `OVL_ROOT_…`.
    func files(_ name: StaticString, _ number: UInt32) throws(HostError) -> any FileAccess {
        try requireTransport(name)
        guard let kind = DeviceRoot.Kind(number: number) else {
            throw HostError(.invalidArgument, "No root has the number \(number).")
        }
        return try environment.roots.files(kind, context.operation())
    }

    /// Reads a path on the device: absolute, without `.`, `..` and NUL.
    func path(_ name: StaticString, _ pointer: UnsafePointer<ovl_text>) throws(HostError) -> String {
        try OverlayPath.checked(try text(name, pointer, limit: BoundaryLimits.path))
    }

    /// Reads paths on the device.
    func paths(_ name: StaticString, _ pointer: UnsafePointer<ovl_texts>) throws(HostError) -> [String] {
        let paths = try argument(name) { () throws(ContractBreach) in
            guard UInt(bitPattern: pointer) != 0 else {
                throw ContractBreach(.nullPointer, "A null pointer was passed for ovl_texts.")
            }
            return try pointer.pointee.read("paths", limit: BoundaryLimits.records) ?? []
        }
        for path in paths { _ = try OverlayPath.checked(path) }
        return paths
    }
}
