import DeviceTransport
import OverlayABI

extension InstanceCore {
    /// The transport service over the roots of the app.
    func transportService() -> ovl_transport_service {
        var table = ovl_transport_service.sized()
        table.ctx = context
        table.device = { context, sink, error in
            InstanceCore.serve(context, "transport.device", error) { core throws(HostError) in
                try core.requireTransport("transport.device")
                try core.putDevice(sink)
            }
        }
        table.roots = { context, sink, error in
            InstanceCore.serve(context, "transport.roots", error) { core throws(HostError) in
                try core.requireTransport("transport.roots")
                try core.putRoots(sink)
            }
        }
        table.free_space = { context, free, total, error in
            InstanceCore.serve(context, "transport.free_space", error) { core throws(HostError) in
                try core.requireTransport("transport.free_space")
                let space = try core.roots.space(core.operation())
                try core.write("transport.free_space", space.free, to: free)
                try core.write("transport.free_space", space.total, to: total)
            }
        }
        addReading(to: &table)
        addWriting(to: &table)
        addLoans(to: &table)
        return table
    }

    private func putDevice(_ pointer: UnsafePointer<ovl_device_sink>) throws(HostError) {
        let sink = try sink("transport.device", pointer)
        guard let put = sink.put else { return }
        let memory = CallMemory()
        var record = ovl_device.sized()
        record.udid = memory.text(roots.device.device.udid)
        record.name = memory.text(roots.information.name)
        record.model = memory.text(roots.information.productType)
        record.ios_version = memory.text(roots.information.productVersion)
        record.app_id = memory.text(roots.app.bundleID)
        record.app_name = memory.text(roots.app.name)
        record.app_version = memory.text(roots.app.version)
        record.app_formats = memory.texts(roots.app.formats)
        record.app_file_sharing = roots.app.sharesFiles ? 1 : 0
        let status = withExtendedLifetime(memory) { withUnsafePointer(to: record) { put(sink.ctx, $0) } }
        guard status == OVL_OK else { throw Self.receiverStopped }
    }

    private func putRoots(_ pointer: UnsafePointer<ovl_root_sink>) throws(HostError) {
        let sink = try sink("transport.roots", pointer)
        guard let put = sink.put else { return }
        let memory = CallMemory()
        for kind in DeviceRoot.Kind.allCases {
            var record = ovl_root.sized()
            record.root = kind.number
            if roots.access.granted.contains(kind) {
                record.granted = 1
            } else {
                let refusal = roots.access.refused.first { $0.root == kind }?.error
                record.reason = memory.text(refusal?.message ?? "iOS does not allow access to this location.")
                record.hint = memory.text(refusal?.hint)
            }
            let status = withExtendedLifetime(memory) { withUnsafePointer(to: record) { put(sink.ctx, $0) } }
            guard status == OVL_OK else { throw Self.receiverStopped }
        }
    }

    /// The files of an `OVL_ROOT_…`.
    func files(_ name: StaticString, _ number: UInt32) throws(HostError) -> any FileAccess {
        try requireTransport(name)
        guard let kind = DeviceRoot.Kind(number: number) else {
            throw HostError(.invalidArgument, "No root has the number \(number).")
        }
        return try roots.files(kind, operation())
    }

    /// A path on the device that an overlay names: absolute, without `.`, `..` and NUL.
    func path(_ name: StaticString, _ pointer: UnsafePointer<ovl_text>) throws(HostError) -> String {
        try Self.checked(try text(name, pointer, limit: BoundaryLimits.path))
    }

    /// Paths on the device that an overlay names.
    func paths(_ name: StaticString, _ pointer: UnsafePointer<ovl_texts>) throws(HostError) -> [String] {
        let paths = try argument(name) { () throws(ContractBreach) in
            guard UInt(bitPattern: pointer) != 0 else {
                throw ContractBreach(.nullPointer, "a null pointer was passed for ovl_texts")
            }
            return try pointer.pointee.read("paths", limit: BoundaryLimits.records) ?? []
        }
        for path in paths { _ = try Self.checked(path) }
        return paths
    }

    /// The path, if it stays within its root.
    static func checked(_ path: String) throws(HostError) -> String {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true)
        let climbs = parts.contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
        guard path.utf8.first == UInt8(ascii: "/"), !climbs, !path.utf8.contains(0),
            path.utf8.count <= BoundaryLimits.path
        else {
            throw HostError(
                .invalidArgument,
                "A path on the device must be absolute and must not contain . or .. "
                    + "parts.",
                subject: path)
        }
        return path
    }
}
