import DeviceTransport

/// Lists the reader apps on a device, the overlay for each, and the access that iOS grants: the `apps` command.
///
/// ```swift
/// func listApps(_ catalog: OverlayCatalog) throws {
///     let survey = try ReaderAppSurvey.run(device: nil, overlays: catalog.overlays.map(\.descriptor))
///     for app in survey.apps { print(app.name, app.overlay, app.refused.first?.reason ?? "accessible") }
/// }
/// ```
public struct ReaderAppSurvey: Sendable {
    /// The device.
    public var device: DeviceSummary
    /// The served reader apps on the device: first those with their own overlay in the order of the overlays, then
    /// those of the overlay for any app by name.
    public var apps: [App]

    /// A reader app.
    public struct App: Sendable, Equatable {
        /// The bundle identifier.
        public var bundleID: String
        /// The name on the home screen.
        public var name: String
        /// The version; nil if unknown.
        public var version: String?
        /// The id of the overlay that serves it.
        public var overlay: String
        /// The granted roots: `container`, `documents`, `media`.
        public var access: [String]
        /// The refused roots.
        public var refused: [Refusal]
        /// Functions that are not available for the app on this device, as reported by its overlay; all of them if
        /// `problem` is not nil.
        public var missing: [MissingAbility] = []
        /// Why its overlay could not be asked what cannot be done; nil if it was asked. The overlay may answer later.
        public var problem: HostError?
    }

    /// A root that is not granted.
    public struct Refusal: Sendable, Equatable {
        /// `container`, `documents` or `media`.
        public var root: String
        /// The reason, as one sentence.
        public var reason: String
        /// What the user can do; nil if nothing helps.
        public var hint: String?
    }

    /// Asks the selected device, and each overlay about the restrictions of its apps on it. Blocks.
    ///
    /// `overlays`: the overlays in order of precedence, with descriptions that may name other apps than the overlay
    /// itself does.
    public static func run(
        _ request: SessionRequest, overlays: [(descriptor: OverlayDescription, overlay: LoadedOverlay)]
    ) throws(HostError) -> ReaderAppSurvey {
        let context = OperationContext(cancellation: request.cancellation)
        let (device, information) = try ReaderTarget.opened(request, context)
        defer { device.close() }
        let values = try request.preferences.read().with(request.overlays.schema)
        let descriptors = try overlays.map { overlay throws(HostError) in
            try overlay.descriptor.withChosenApp(values)
        }
        let find = { (id: String) in overlays.first { $0.descriptor.id == id }?.overlay }
        return try run(
            on: device, information, overlays: descriptors, context,
            willAsk: { ids in for id in ids { find(id)?.prepare() } }
        ) { app, access, information throws(HostError) in
            guard let overlay = find(app.overlay),
                let reader = ReaderApp(app.bundleID, access)
            else { return Answer() }
            let target = ReaderTarget(
                device: device, information: information, overlay: overlay, app: reader, access: access)
            return try answer(target, request)
        }
    }

    /// The answer of an overlay about one app.
    struct Answer {
        /// The missing functions of the app.
        var missing: [MissingAbility] = []
        /// Why the overlay could not be asked.
        var problem: HostError?
    }

    /// The missing functions of one app; all of them if the overlay does not answer.
    private static func answer(_ target: ReaderTarget, _ request: SessionRequest) throws(HostError) -> Answer
    {
        var request = request
        request.notice = nil
        do throws(HostError) {
            let link = try ReaderLink(target, request, sharesDevice: true)
            defer { link.close() }
            return Answer(missing: try link.instance.settings().missing)
        } catch {
            if [.cancelled, .stopped, .deviceGone].contains(error.code) { throw error }
            let reason = "Cannot query the overlay: \(error.message)"
            let overlay = target.overlay
            let abilities = OverlayAbilities.words(overlay.descriptor, methods: overlay.implementedMethods)
                .filter { $0 != "perform" }
            return Answer(
                missing: abilities.map {
                    MissingAbility(
                        ability: $0, reason: reason, hint: error.hint, hintCode: error.hintCode)
                },
                problem: error)
        }
    }

    /// Asks the device that `selector` selects (see `SessionRequest.device`). Blocks.
    public static func run(
        device selector: String?, overlays: [OverlayDescription], loggers: SessionLoggers? = nil,
        cancellation: Cancellation = Cancellation()
    ) throws(HostError) -> ReaderAppSurvey {
        let context = OperationContext(cancellation: cancellation)
        let (device, information) = try DeviceOpening.open(selector, loggers?.deviceTrace, context)
        defer { device.close() }
        return try run(on: device, information, overlays: overlays, context)
    }

    /// The number of apps about which the device is asked at the same time, because it allows few connections.
    private static let atOnce = 4

    /// Asks the device about a few apps at a time. Calls `answer` for each app immediately afterwards, while the
    /// connections to its files are open.
    ///
    /// - Parameters:
    ///   - information: the information of the device.
    ///   - willAsk: called first with the overlays that `answer` will use: those of the apps that are on every
    ///     device, then all.
    static func run(
        on device: any DeviceAccess, _ information: DeviceInformation, overlays: [OverlayDescription],
        _ context: OperationContext,
        willAsk: ([String]) -> Void = { _ in },
        answer: (App, GrantedRoots, DeviceInformation) throws(HostError) -> Answer = {
            _, _, _ throws(HostError) in Answer()
        }
    ) throws(HostError) -> ReaderAppSurvey {
        var survey = ReaderAppSurvey(device: DeviceSummary(device.device, information), apps: [])
        var candidates = try candidates(on: device, overlays, context, willAsk: willAsk)
        willAsk(candidates.map(\.overlay))
        while !candidates.isEmpty {
            let asked = Array(candidates.prefix(atOnce))
            candidates.removeFirst(asked.count)
            let accesses = try transporting { () throws(TransportError) in
                try device.roots(for: asked.map(\.id), context)
            }
            for (found, access) in zip(asked, accesses) {
                var app = App(found, access)
                let answer = try answer(app, access, information)
                (app.missing, app.problem) = (answer.missing, answer.problem)
                survey.apps.append(app)
            }
        }
        return survey
    }

    /// The reader apps on the device and the overlay of each, in order.
    ///
    /// - Parameter willAsk: called first with the overlays of the apps that are on every device.
    static func candidates(
        on device: any DeviceAccess, _ overlays: [OverlayDescription], _ context: OperationContext,
        willAsk: ([String]) -> Void = { _ in }
    ) throws(HostError) -> [FoundApp] {
        // An app belongs to the first overlay that serves it.
        var served: [(id: String, overlay: String)] = []
        for overlay in overlays {
            for id in overlay.appIDs where !served.contains(where: { $0.id == id }) {
                served.append((id, overlay.id))
            }
        }
        willAsk(served.filter { KnownReaderApp.partOfIOS($0.id) != nil }.map(\.overlay))
        let ids = served.map(\.id)
        let installed = try transporting { () throws(TransportError) in
            try device.apps(bundleIDs: ids, context)
        }
        var candidates = served.compactMap { id, overlay in
            KnownReaderApp.partOfIOS(id) == nil ? installed[id].map { FoundApp($0, overlay) } : nil
        }
        if let any = AnyAppOverlay(overlays) {
            let all = try transporting { () throws(TransportError) in
                try device.apps(includingSystem: false, context)
            }
            candidates += all.filter { any.serves(bundleID: $0.bundleID, sharesFiles: $0.sharesFiles) }
                .sorted { ($0.name.lowercased(), $0.bundleID) < ($1.name.lowercased(), $1.bundleID) }
                .map { FoundApp($0, any.descriptor.id) }
        }
        // Apps that are on every device come last, even if iOS does not list them.
        for (id, overlay) in served {
            guard let part = KnownReaderApp.partOfIOS(id) else { continue }
            // The name differs between versions of iOS. Use a fixed one.
            candidates.append(
                FoundApp(
                    id: id, name: part.name, version: installed[id]?.version,
                    sharesFiles: installed[id]?.sharesFiles ?? false, overlay: overlay))
        }
        return candidates
    }
}

extension ReaderAppSurvey.App {
    /// Creates an app with the access that the device grants to it.
    fileprivate init(_ found: FoundApp, _ access: GrantedRoots) {
        self.init(
            bundleID: found.id, name: found.name, version: found.version, overlay: found.overlay,
            access: DeviceRoot.Kind.allCases.filter { access.granted.contains($0) }.map(\.rawValue),
            refused: access.refused.map {
                .init(root: $0.root.rawValue, reason: HostError($0.error).message, hint: $0.error.hint)
            })
    }
}

/// An app and its overlay, before the access to its files is known.
struct FoundApp {
    var id: String
    var name: String
    var version: String?
    var sharesFiles: Bool
    var overlay: String

    init(id: String, name: String, version: String?, sharesFiles: Bool, overlay: String) {
        (self.id, self.name, self.version) = (id, name, version)
        (self.sharesFiles, self.overlay) = (sharesFiles, overlay)
    }

    init(_ app: InstalledApp, _ overlay: String) {
        self.init(
            id: app.bundleID, name: app.name, version: app.version, sharesFiles: app.sharesFiles,
            overlay: overlay)
    }
}
