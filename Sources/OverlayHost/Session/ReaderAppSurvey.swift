import DeviceTransport

/// Finds out which reader apps are on a device, which overlay serves each, and what iOS grants: the `apps` command.
public struct ReaderAppSurvey: Sendable {
    /// The device.
    public var device: DeviceSummary
    /// The reader apps on it that an overlay serves: those with an overlay of their own in the overlays' order, then those that
    /// the overlay for any app serves, by their names.
    public var apps: [App]

    /// One app.
    public struct App: Sendable, Equatable {
        /// Its bundle id.
        public var bundleID: String
        /// Its name on the home screen.
        public var name: String
        /// Its version; nil if unknown.
        public var version: String?
        /// The id of the overlay that serves it.
        public var overlay: String
        /// The roots iOS grants: `container`, `documents`, `media`.
        public var access: [String]
        /// The roots it does not.
        public var refused: [Refusal]
    }

    /// A root that is not granted.
    public struct Refusal: Sendable, Equatable {
        /// `container`, `documents` or `media`.
        public var root: String
        /// Why, one sentence.
        public var reason: String
        /// What helps; nil if nothing does.
        public var hint: String?
    }

    /// Asks the device that `selector` means (see `SessionRequest.device`). Blocks.
    public static func run(
        device selector: String?, overlays: [OverlayDescriptor], loggers: SessionLoggers? = nil,
        cancellation: Cancellation = Cancellation()
    ) throws(HostError) -> ReaderAppSurvey {
        let context = OperationContext(cancellation: cancellation)
        let device = try ReaderTarget.device(selector, trace: loggers?.deviceTrace, context)
        defer { device.close() }
        return try run(on: device, overlays: overlays, context)
    }

    static func run(
        on device: any DeviceAccess, overlays: [OverlayDescriptor], _ context: OperationContext
    ) throws(HostError) -> ReaderAppSurvey {
        let information = try transporting { () throws(TransportError) in try device.information(context) }
        var survey = ReaderAppSurvey(device: DeviceSummary(device.device, information), apps: [])
        // An app belongs to the first overlay that serves it.
        var served: [(id: String, overlay: String)] = []
        for overlay in overlays {
            for id in overlay.appIDs where !served.contains(where: { $0.id == id }) {
                served.append((id, overlay.id))
            }
        }
        let ids = served.map(\.id)
        let installed = try transporting { () throws(TransportError) in
            try device.apps(bundleIDs: ids, context)
        }
        var found = served.compactMap { id, overlay in
            KnownReaderApp.partOfIOS(id) == nil ? installed[id].map { FoundApp($0, overlay) } : nil
        }
        if let any = AnyAppOverlay(overlays) {
            let all = try transporting { () throws(TransportError) in
                try device.apps(includingSystem: false, context)
            }
            found += all.filter { any.serves(bundleID: $0.bundleID, sharesFiles: $0.sharesFiles) }
                .sorted { ($0.name.lowercased(), $0.bundleID) < ($1.name.lowercased(), $1.bundleID) }
                .map { FoundApp($0, any.descriptor.id) }
        }
        // What is on every device comes last, also where iOS does not list it.
        for (id, overlay) in served {
            guard let part = KnownReaderApp.partOfIOS(id) else { continue }
            found.append(
                installed[id].map { FoundApp($0, overlay) }
                    ?? FoundApp(id: id, name: part.name, version: nil, overlay: overlay))
        }
        for app in found {
            let id = app.id
            let access = try transporting { () throws(TransportError) in try device.roots(for: id, context) }
            survey.apps.append(
                App(
                    bundleID: id, name: app.name, version: app.version, overlay: app.overlay,
                    access: DeviceRoot.Kind.allCases.filter { access.granted.contains($0) }.map(\.rawValue),
                    refused: access.refused.map {
                        Refusal(
                            root: $0.root.rawValue, reason: HostError($0.error).message, hint: $0.error.hint)
                    }))
        }
        return survey
    }
}

/// An app and the overlay that serves it, before anything is known of its files.
private struct FoundApp {
    var id: String
    var name: String
    var version: String?
    var overlay: String

    init(id: String, name: String, version: String?, overlay: String) {
        (self.id, self.name, self.version, self.overlay) = (id, name, version, overlay)
    }

    init(_ app: InstalledApp, _ overlay: String) {
        self.init(id: app.bundleID, name: app.name, version: app.version, overlay: overlay)
    }
}
