/// A reader app on a device that is already open. Sessions with it use the connections of that device
/// (`SessionRequest.found`).
///
/// ```swift
/// func session(with app: FoundReaderApp, _ request: SessionRequest) throws -> HostSession {
///     var request = request
///     request.found = app
///     return try HostSession(request)
/// }
/// ```
public struct FoundReaderApp: Sendable {
    /// The bundle identifier.
    public let bundleID: String
    /// The name on the home screen; for an app that is part of iOS, its usual name.
    public let name: String
    /// The id of the overlay that serves it.
    public let overlay: String
    /// The app as the choice of an overlay sees it.
    let installed: AppChoiceFacts.InstalledApp
    /// The device and its information.
    let opened: DeviceOpening.Opened

    /// Creates an app on an open device.
    init(_ installed: AppChoiceFacts.InstalledApp, overlay: String, on opened: DeviceOpening.Opened) {
        (bundleID, name) = (installed.bundleID, installed.name)
        (self.overlay, self.installed, self.opened) = (overlay, installed, opened)
    }
}
