import DeviceTransport

/// The free and used space of a device: the `df` command.
///
/// ```swift
/// func space(_ request: SessionRequest) throws {
///     let space = try DeviceSpace.run(request)
///     print(space.device.name ?? "", space.volume.free, space.volume.total)
///     for app in space.apps { print(app.name, app.volume.free) }
/// }
/// ```
public struct DeviceSpace: Sendable {
    /// The size of a disk in bytes.
    public struct Volume: Sendable, Equatable {
        /// The total size.
        public var total: UInt64
        /// The free space.
        public var free: UInt64

        /// The used space.
        public var used: UInt64 { total > free ? total - free : 0 }
    }

    /// A reader app with its own disk space.
    public struct App: Sendable, Equatable {
        /// The bundle identifier.
        public var bundleID: String
        /// The name of the app.
        public var name: String
        /// The space of the app.
        public var volume: Volume
    }

    /// The device.
    public var device: DeviceSummary
    /// The space of the media folder.
    public var volume: Volume
    /// The reader apps with their own disk space. Usually empty, because apps share the space of the device.
    public var apps: [App]

    /// Asks the selected device. Blocks.
    ///
    /// - Throws: an error if the device does not report its space.
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
                // An app that does not report its space is skipped.
                request.loggers.host.notice("the space of \(app.name): \(error)")
                continue
            }
            // Compare the total, because the free space changes between requests.
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
