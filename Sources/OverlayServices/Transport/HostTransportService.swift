import DeviceTransport
import HostContent
import HostErrors
import OverlayABI
import OverlayBridge

final class HostTransportService: HostService {
    let context: InstanceContext

    init(_ context: InstanceContext) { self.context = context }

    /// The service for files in the roots of the app.
    var table: ovl_transport_service {
        var table = ovl_transport_service.sized()
        table.ctx = pointer
        table.device = { context, sink, error in
            HostTransportService.serve(context, "transport.device", error) { service throws(HostError) in
                try service.requireTransport("transport.device")
                try service.putDevice(sink)
            }
        }
        table.roots = { context, sink, error in
            HostTransportService.serve(context, "transport.roots", error) { service throws(HostError) in
                try service.requireTransport("transport.roots")
                try service.putRoots(sink)
            }
        }
        table.free_space = { context, free, total, error in
            HostTransportService.serve(context, "transport.free_space", error) { service throws(HostError) in
                try service.requireTransport("transport.free_space")
                let space = try service.environment.roots.space(service.context.operation())
                try service.write("transport.free_space", space.free, to: free)
                try service.write("transport.free_space", space.total, to: total)
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
        let memory = Arena()
        var record = ovl_device.sized()
        let device = environment.roots.device.device
        if device.preferredLink == .network { record.flags |= OVL_DEVICE_OVER_NETWORK }
        record.udid = memory.text(device.udid)
        record.name = memory.text(environment.roots.information.name)
        record.model = memory.text(environment.roots.information.productType)
        record.ios_version = memory.text(environment.roots.information.productVersion)
        record.app_id = memory.text(environment.roots.app.bundleID)
        record.app_name = memory.text(environment.roots.app.name)
        record.app_version = memory.text(environment.roots.app.version)
        record.app_formats = memory.texts(environment.roots.app.formats)
        record.app_file_sharing = environment.roots.app.sharesFiles ? 1 : 0
        let status = withExtendedLifetime(memory) { withUnsafePointer(to: record) { put(sink.ctx, $0) } }
        guard status == OVL_OK else { throw HostError.receiverStopped }
    }

    private func putRoots(_ pointer: UnsafePointer<ovl_root_sink>) throws(HostError) {
        let sink = try sink("transport.roots", pointer)
        guard let put = sink.put else { return }
        let memory = Arena()
        for kind in DeviceRoot.Kind.allCases {
            var record = ovl_root.sized()
            record.root = kind.number
            if environment.roots.access.granted.contains(kind) {
                record.granted = 1
            } else {
                let refusal = environment.roots.access.refused.first { $0.root == kind }?.error
                record.reason = memory.text(refusal?.message ?? "iOS does not allow access to this location.")
                record.hint = memory.text(refusal?.hint)
            }
            let status = withExtendedLifetime(memory) { withUnsafePointer(to: record) { put(sink.ctx, $0) } }
            guard status == OVL_OK else { throw HostError.receiverStopped }
        }
    }
}
