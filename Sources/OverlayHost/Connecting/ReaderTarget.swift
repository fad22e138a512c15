import Logging
import DeviceTransport
import Preferences

/// The target of a session: the device, the reader app, and the overlay. Found in steps, so that `doctor` can report
/// the one that failed.
struct ReaderTarget: Sendable {
    var device: any DeviceAccess
    var information: DeviceInformation
    var overlay: LoadedOverlay
    var app: ReaderApp
    var access: GrantedRoots
    /// How the app was chosen; nil if it was not chosen among others.
    var choice: AppChoice?

    /// Finds the complete target. An overlay that does not depend on the device is loaded while the device is opened.
    static func find(_ request: SessionRequest) throws(HostError) -> ReaderTarget {
        var request = request
        if let found = request.found { request.app = found.bundleID }
        let early = OverlayPreloader(request)
        defer { early?.giveUp() }
        let context = OperationContext(cancellation: request.cancellation)
        let (device, information) = try opened(request, context)
        let choice = try choose(request, on: device, context)
        // Starts the worker while the device is asked for the app's files.
        if case .discovered = choice.overlay { try overlay(choice, request).prepare() }
        let (app, access) = try app(choice, on: device, context)
        let loaded = try early?.take(choice.overlay)
        let overlay = if let loaded { loaded } else { try overlay(choice, request) }
        return ReaderTarget(
            device: device, information: information, overlay: overlay, app: app, access: access,
            choice: choice)
    }

    /// The facts for the choice, without the apps on the device.
    static func facts(_ request: SessionRequest) throws(HostError) -> AppChoiceFacts {
        let values = try request.preferences.read().with(request.overlays.schema)
        let development = try AppChoiceFacts.Development(values)
        let descriptors = try request.overlays.overlays.map { overlay throws(HostError) in
            try overlay.descriptor.withChosenApp(values)
        }
        return AppChoiceFacts(
            requested: request.app, preferred: try values.text("preferred_reader_app"),
            development: development, overlays: descriptors, noOverlay: request.overlays.noOverlay,
            installed: [])
    }

    /// The selected device and its information. Uses the device of the request if that is open, or being opened.
    static func opened(
        _ request: SessionRequest, _ context: OperationContext
    ) throws(HostError) -> DeviceOpening.Opened {
        if let found = request.found { return found.opened }
        if let opened = try request.opening?.take() { return opened }
        return try DeviceOpening.open(request.device, request.loggers.deviceTrace, context)
    }

    /// The selected device.
    static func device(_ selector: String?, trace: DeviceTrace?, _ context: OperationContext)
        throws(HostError) -> any DeviceAccess
    {
        try transporting { () throws(TransportError) in
            let device = try DeviceCatalog(trace: trace).device(matching: selector, context)
            return try DeviceSession(device, options: DeviceSessionOptions(trace: trace), context)
        }
    }

    /// The reader app and its overlay, from the request and the apps on the device.
    static func choose(_ request: SessionRequest, on device: any DeviceAccess, _ context: OperationContext)
        throws(HostError) -> AppChoice
    {
        var facts = try facts(request)
        if let found = request.found {
            facts.installed = [found.installed]
            return try AppChoice.choose(facts)
        }
        let descriptors = facts.overlays
        var wanted = descriptors.flatMap(\.appIDs)
        if let id = facts.development.appID, !wanted.contains(id) { wanted.append(id) }
        let ids = wanted
        let served = try transporting { () throws(TransportError) in
            try device.apps(bundleIDs: ids, readyingFiles: true, context)
        }
        facts.installed =
            (served.values.map { .init($0) } + unlisted(ids, served)).sorted { $0.bundleID < $1.bundleID }
        let servesAny = AnyAppOverlay(descriptors) != nil
        do throws(HostError) {
            let choice = try AppChoice.choose(facts)
            // An app that is on every device is chosen only if there is no app without its own overlay.
            guard choice.isLastResort, servesAny else { return choice }
        } catch {
            // These cases need the long list of all apps: the name may be known only to the home screen, no app has
            // its own overlay, or the error lists all possible names.
            let mayHelp =
                error.code == .noOverlay
                ? request.app != nil || servesAny
                : [.appNotInstalled, .appNotChosen].contains(error.code) && servesAny
            guard mayHelp else { throw error }
        }
        let all = try transporting { () throws(TransportError) in
            try device.apps(includingSystem: false, context)
        }
        // The long list does not contain apps that are part of iOS.
        let system = served.values.filter { KnownReaderApp.partOfIOS($0.bundleID) != nil }
        facts.installed = (all + system).map { .init($0) } + unlisted(ids, served)
        return try AppChoice.choose(facts)
    }

    /// The apps among these identifiers that are part of iOS but that iOS does not list.
    private static func unlisted(
        _ ids: [String], _ listed: [String: InstalledApp]
    ) -> [AppChoiceFacts.InstalledApp] {
        ids.filter { listed[$0] == nil }.compactMap { id in
            KnownReaderApp.partOfIOS(id).map { .init(bundleID: id, name: $0.name) }
        }
    }

    /// The other apps on the device that could have been chosen; empty if the device does not list its apps.
    func others(_ request: SessionRequest) -> [OtherApp] {
        guard let choice, request.found == nil else { return [] }
        let context = OperationContext(cancellation: request.cancellation)
        do throws(HostError) {
            var facts = try Self.facts(request)
            let all = try transporting { () throws(TransportError) in
                try device.apps(includingSystem: false, context)
            }
            facts.installed = all.map { .init($0) }
            return choice.others(facts)
        } catch {
            request.loggers.host.notice("other apps: \(error)")
            return []
        }
    }

    /// The first bundle identifier of the choice with accessible files, or otherwise the first that is installed.
    static func app(_ choice: AppChoice, on device: any DeviceAccess, _ context: OperationContext)
        throws(HostError) -> (ReaderApp, GrantedRoots)
    {
        var first: (ReaderApp, GrantedRoots)?
        for id in choice.bundleIDs {
            let access = try transporting { () throws(TransportError) in try device.roots(for: id, context) }
            guard let app = ReaderApp(id, access) else { continue }
            if KnownReaderApp.partOfIOS(id) != nil, access.granted.contains(.media) { return (app, access) }
            if access.granted.contains(where: { $0 != .media }) { return (app, access) }
            first = first ?? (app, access)
        }
        if let first { return first }
        throw HostError(
            .appNotInstalled, "The reader app is not on the device.", subject: choice.appName,
            hint: "Install it on the device, or attach the device that has it.")
    }

    /// The loaded overlay of the choice.
    static func overlay(_ choice: AppChoice, _ request: SessionRequest) throws(HostError) -> LoadedOverlay {
        switch choice.overlay {
        case .discovered(let id):
            guard let overlay = request.overlays.overlays.first(where: { $0.descriptor.id == id }) else {
                throw HostError(.noOverlay, "No usable overlay has this id.", subject: id)
            }
            return overlay
        case .development(let file): return try request.discovery.load(file)
        }
    }
}

extension ReaderApp {
    /// Creates an app from the access that the device grants to it; nil if the app is not on the device.
    init?(_ bundleID: String, _ access: GrantedRoots) {
        guard let name = KnownReaderApp.partOfIOS(bundleID)?.name ?? access.app?.name else { return nil }
        self.init(
            bundleID: bundleID, name: name, version: access.app?.version,
            formats: access.app?.documentExtensions ?? [], sharesFiles: access.app?.sharesFiles ?? false)
    }
}

extension AppChoiceFacts.InstalledApp {
    /// Converts an app that the device lists.
    init(_ app: InstalledApp) {
        self.init(bundleID: app.bundleID, name: app.name, sharesFiles: app.sharesFiles)
    }
}

extension OverlayDescription {
    /// The description with the app that the user chose for the overlay, in the overlay's preference `<id>_bundle_id`
    /// if it declares one. This app comes before those that the overlay names.
    ///
    /// Users build some apps themselves, and each build has its own bundle identifier.
    func withChosenApp(_ values: PreferenceValues) throws(HostError) -> OverlayDescription {
        let key = id + "_bundle_id"
        guard options.contains(where: { $0.key == key }), values.schema[key] != nil,
            let chosen = try values.text(key), !chosen.isEmpty
        else { return self }
        var description = self
        description.appIDs = [chosen] + appIDs.filter { $0 != chosen }
        return description
    }
}
