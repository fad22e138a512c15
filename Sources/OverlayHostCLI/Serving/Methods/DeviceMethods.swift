import DeviceTransport
import Dispatch
import JSON
import OverlayHost
import Synchronization

/// Methods about devices that do not need a session.
enum DeviceMethods {
    static let all: [ServedMethod] = [
        .host("devices", ["device"], devices), .host("apps", ["device"], apps),
        .host("overlays", ["overlay"], asksDevices: false, overlays),
        .devices("detect", ["device", "app"], detect) { .document(["readers": .array($0)]) },
        .host("watch", ["device", "app"], watch), .host("unwatch", [], asksDevices: false, unwatch),
    ]

    @Sendable private static func devices(
        _ serving: ServingHost, _ request: PendingRequest
    ) throws(HostError) -> JSONValue? {
        let selector = try request.parameters.text("device") ?? serving.device
        let attached = try DeviceSurvey.run(
            loggers: serving.setup.loggers(), cancellation: request.cancellation)
        let (devices, problems) = DeviceChoice(selector).select(attached)
        if devices.isEmpty, let problem = problems.first { throw problem }
        return .document([
            "devices": .array(
                devices.map { device in
                    var document = DeviceDocument.json(device).object ?? JSONObject()
                    document["problem"] = device.problem.map(ErrorReport.body)
                    return .object(document)
                })
        ])
    }

    /// Runs without waiting for the device's thread, because it does not change anything, and a long upload must not
    /// delay it.
    @Sendable private static func apps(
        _ serving: ServingHost, _ request: PendingRequest
    ) throws(HostError) -> JSONValue? {
        let selector = try request.parameters.text("device") ?? serving.device
        let overlays = try serving.setup.usableOverlays()
        var wanted = try serving.setup.sessionRequest(request.cancellation)
        wanted.device = selector
        return DeviceDocument.json(try ReaderAppSurvey.run(wanted, overlays: overlays))
    }

    @Sendable private static func overlays(
        _ serving: ServingHost, _ request: PendingRequest
    ) throws(HostError) -> JSONValue? {
        let found = try serving.setup.overlays()
        let listing = try OverlayListing(found)
        guard let name = try request.parameters.text("overlay") else { return listing.json }
        return .document([
            "overlays": .array([try listing.row(named: name).details(found.preferences)])
        ])
    }

    // MARK: detecting

    @Sendable private static func detect(
        _ parameters: RequestParameters
    ) throws(HostError) -> DeviceTurns.Work {
        let app = try parameters.text("app")
        return { (serving, request, udid) throws(HostError) in reader(app, on: udid, serving, request) }
    }

    /// The present state of a device's reader app.
    private static func reader(
        _ app: String?, on udid: String, _ serving: ServingHost, _ request: PendingRequest
    ) -> JSONValue {
        var presence: ReaderPresence?
        var problem: HostError?
        do throws(HostError) {
            try request.checkCancellation()
            presence = try ServedSession.presence(of: app, on: udid, serving, request)
            problem = presence?.error
        } catch {
            problem = error
        }
        var name = presence?.session?.device.name
        if name == nil, !request.cancellation.isCancelled {
            name = DeviceSurvey.name(
                of: udid, loggers: serving.setup.loggers(), cancellation: request.cancellation)
        }
        return .document([
            "device": .string(udid), "name": .optional(name),
            "state": .string((presence?.state ?? .unreachable).rawValue),
            "app": .optional(presence?.app?.name), "bundle_id": .optional(presence?.app?.bundleID),
            "overlay": .optional(presence?.overlay?.id), "code": .optional(problem?.code.rawValue),
            "message": .optional(problem?.message), "hint": .optional(problem?.hint),
            "hint_code": problem?.hintCode.map { .string($0.rawValue) },
        ])
    }

    // MARK: watching

    @Sendable private static func watch(
        _ serving: ServingHost, _ request: PendingRequest
    ) throws(HostError) -> JSONValue? {
        var wanted = try serving.setup.sessionRequest(request.cancellation)
        wanted.device = try request.parameters.text("device") ?? serving.device
        wanted.app = try request.parameters.text("app")
        let watch = ServedWatch(request, serving.writer)
        serving.take(watch)
        watch.start(wanted)
        return nil
    }

    @Sendable private static func unwatch(
        _ serving: ServingHost, _ request: PendingRequest
    ) throws(HostError) -> JSONValue? {
        serving.take(nil)
        return .object(JSONObject())
    }
}
