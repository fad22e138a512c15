import JSON
import OverlayHost

/// Devices, their reader apps and connection events as JSON.
enum DeviceDocument {
    /// One device.
    static func json(_ device: DeviceSummary) -> JSONValue {
        .document([
            "udid": .string(device.udid), "name": .optional(device.name), "model": .optional(device.model),
            "ios": .optional(device.ios), "connection": .string(device.connection),
            "pairing": .optional(device.pairing),
        ])
    }

    /// `{"device", "apps": […]}`.
    static func json(_ survey: ReaderAppSurvey) -> JSONValue {
        .document(["device": .string(survey.device.udid), "apps": .array(survey.apps.map(json))])
    }

    private static func json(_ app: ReaderAppSurvey.App) -> JSONValue {
        let refused = app.refused.map { refusal in
            JSONValue.document([
                "root": .string(refusal.root), "reason": .string(refusal.reason),
                "hint": .optional(refusal.hint),
            ])
        }
        return .document([
            "bundle_id": .string(app.bundleID), "name": .string(app.name), "version": .optional(app.version),
            "overlay": .string(app.overlay), "access": .texts(app.access), "refused": .array(refused),
            "missing": .array(app.missing.map(\.document)), "problem": app.problem.map(ErrorReport.body),
        ])
    }

    /// One event.
    static func json(_ event: DeviceWatch.Event) -> JSONValue {
        .document([
            "event": .string(event.event), "udid": .string(event.udid),
            "connection": .string(event.connection), "name": .optional(event.name),
            "message": .optional(event.message),
            "time": .string(BookDocument.timestamp(event.time / 1_000_000_000)),
        ])
    }
}
