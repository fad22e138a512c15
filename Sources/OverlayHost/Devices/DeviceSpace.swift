import Logging
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
        let overlays = try ReaderTarget.facts(request).overlays
        let (device, information) = try ReaderTarget.opened(request, context)
        defer { device.close() }
        var apps: [App] = []
        // Each app is asked while the connection that the survey has opened is there.
        let survey = try ReaderAppSurvey.run(
            on: device, information, overlays: overlays, context,
            answer: { app, access, _ throws(HostError) in
                let root: DeviceRoot
                if access.granted.contains(.container) {
                    root = .container(bundleID: app.bundleID)
                } else if access.granted.contains(.documents) {
                    root = .documents(bundleID: app.bundleID)
                } else {
                    return ReaderAppSurvey.Answer()
                }
                do throws(HostError) {
                    let (own, isOfFiles) = try Self.volume(of: root, on: device, context)
                    // lockdownd answers for the device, not for the app.
                    guard isOfFiles else { return ReaderAppSurvey.Answer() }
                    apps.append(App(bundleID: app.bundleID, name: app.name, volume: own))
                } catch {
                    if [.deviceGone, .cancelled].contains(error.code) { throw error }
                    // An app that does not report its space is skipped.
                    request.loggers.host.notice("the space of \(app.name): \(error)")
                }
                return ReaderAppSurvey.Answer()
            })
        let (volume, isOfFiles) = try volume(of: .media, on: device, context)
        // The totals of two services may differ for the same disk.
        if !isOfFiles { apps = [] }
        // Compare the total, because the free space changes between requests.
        return DeviceSpace(
            device: survey.device, volume: volume, apps: apps.filter { $0.volume.total != volume.total })
    }

    /// The space of a root, and whether its file service reported it.
    private static func volume(
        of root: DeviceRoot, on device: any DeviceAccess, _ context: OperationContext
    ) throws(HostError) -> (Volume, isOfFiles: Bool) {
        try transporting { () throws(TransportError) in
            let files = try device.openFiles(root, context)
            defer { files.close() }
            let space = try files.space(context)
            return (Volume(total: space.total, free: space.free), space.blockSize != nil)
        }
    }
}
