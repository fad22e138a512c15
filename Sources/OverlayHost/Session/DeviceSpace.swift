import DeviceTransport

/// How full a device is: the `df` command.
public struct DeviceSpace: Sendable {
    /// Bytes of a disk.
    public struct Volume: Sendable, Equatable {
        /// All of them.
        public var total: UInt64
        /// Those that are free.
        public var free: UInt64

        /// Those that are not.
        public var used: UInt64 { total > free ? total - free : 0 }
    }

    /// A reader app with space of its own.
    public struct App: Sendable, Equatable {
        /// Its bundle id.
        public var bundleID: String
        /// Its name.
        public var name: String
        /// Its space.
        public var volume: Volume
    }

    /// The device.
    public var device: DeviceSummary
    /// The space that its media folder has.
    public var volume: Volume
    /// The reader apps with space of their own, which on most devices is none: they share the device's.
    public var apps: [App]

    /// Asks the device that the request means. Blocks.
    ///
    /// - Throws: what keeps the device from telling.
    public static func run(_ request: SessionRequest) throws(HostError) -> DeviceSpace {
        let context = OperationContext(cancellation: request.cancellation)
        let device = try ReaderTarget.device(request.device, trace: request.loggers.deviceTrace, context)
        defer { device.close() }
        let information = try transporting { () throws(TransportError) in try device.information(context) }
        let volume = try volume(of: .media, on: device, context)
        let survey = try ReaderAppSurvey.run(
            on: device, information, overlays: request.overlays.overlays.map(\.descriptor), context)
        var apps: [App] = []
        for app in survey.apps {
            let root: DeviceRoot
            if app.access.contains(DeviceRoot.Kind.container.rawValue) {
                root = .container(bundleID: app.bundleID)
            } else if app.access.contains(DeviceRoot.Kind.documents.rawValue) {
                root = .documents(bundleID: app.bundleID)
            } else {
                continue
            }
            let own: Volume
            do throws(HostError) {
                own = try Self.volume(of: root, on: device, context)
            } catch {
                if [.deviceGone, .cancelled].contains(error.code) { throw error }
                // An app that does not report its space does not fail the device.
                request.loggers.host.notice("the space of \(app.name): \(error)")
                continue
            }
            // Free space changes from one question to the next.
            guard own.total != volume.total else { continue }
            apps.append(App(bundleID: app.bundleID, name: app.name, volume: own))
        }
        return DeviceSpace(device: DeviceSummary(device.device, information), volume: volume, apps: apps)
    }

    private static func volume(
        of root: DeviceRoot, on device: any DeviceAccess, _ context: OperationContext
    ) throws(HostError) -> Volume {
        try transporting { () throws(TransportError) in
            let files = try device.openFiles(root, context)
            defer { files.close() }
            let space = try files.space(context)
            return Volume(total: space.total, free: space.free)
        }
    }
}
