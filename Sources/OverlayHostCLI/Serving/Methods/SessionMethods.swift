import JSON
import OverlayHost

/// Methods that open and end sessions.
enum SessionMethods {
    static let all: [ServedMethod] = [
        .device("open", ["device", "app", "wait"], open), .session("information", [], information),
        .session("space", [], space), .session("close", [], close), .session("eject", [], eject),
    ]

    @Sendable private static func open(
        _ parameters: RequestParameters
    ) throws(HostError) -> DeviceTurns.Work {
        let app = try parameters.text("app")
        let wait = try parameters.number("wait", 0...3600) ?? 10
        return { (serving, request, udid) throws(HostError) in
            let session = try ServedSession.open(app, on: udid, wait: .seconds(wait), serving, request)
            return try information(session, request)
        }
    }

    @Sendable private static func information(
        _ session: ServedSession, _ request: PendingRequest
    ) throws(HostError) -> JSONValue {
        try session.perform(request) { host throws(HostError) in
            let settings = try host.settings()
            let (overlay, app) = (host.overlay, host.app)
            let missing = Set(settings.missing.map(\.ability))
            let abilities = OverlayAbilities.words(
                overlay, methods: host.loadedOverlay.implementedMethods
            ).filter { !missing.contains($0) }
            return ServedSession.Outcome(
                .document([
                    "session": .string(session.name), "device": DeviceDocument.json(host.device),
                    "app": .document([
                        "bundle_id": .string(app.bundleID), "name": .string(app.name),
                        "version": .optional(app.version),
                    ]),
                    "overlay": .document([
                        "id": .string(overlay.id), "name": .string(overlay.name),
                        "version": .string(overlay.version),
                    ]),
                    "formats": .texts(settings.formats),
                    "settable_metadata": .texts(settings.settableMetadata), "abilities": .texts(abilities),
                    "missing": .array(settings.missing.map(\.document)),
                    "space": json(try host.space()), "notes": .texts(host.notes),
                ]))
        }
    }

    @Sendable private static func space(
        _ session: ServedSession, _ request: PendingRequest
    ) throws(HostError) -> JSONValue {
        try session.perform(request) { host throws(HostError) in
            ServedSession.Outcome(json(try host.space()))
        }
    }

    /// `{"free", "total"}`, in bytes.
    static func json(_ space: (free: UInt64, total: UInt64)) -> JSONValue {
        .document([
            "free": .integer(Int64(clamping: space.free)), "total": .integer(Int64(clamping: space.total)),
        ])
    }

    @Sendable private static func close(
        _ session: ServedSession, _ request: PendingRequest
    ) throws(HostError) -> JSONValue {
        session.end(request)
        return .object(JSONObject())
    }

    @Sendable private static func eject(
        _ session: ServedSession, _ request: PendingRequest
    ) throws(HostError) -> JSONValue {
        // Afterwards the device is released, even if the app refuses.
        defer { session.end(request) }
        guard session.isConnected else {
            return .document(["ejected": .bool(true), "device": .string(session.udid)])
        }
        return try session.perform(request, repeats: false) { host throws(HostError) in
            try host.eject()
            return ServedSession.Outcome(
                .document(["ejected": .bool(true), "device": .string(host.device.udid)]))
        }
    }
}
