import JSON
import OverlayHost

/// Where books are: the common members of all documents about the books of a reader app.
struct BookOrigin {
    /// The name of the reader app, the id of its overlay, and the UDID of the device.
    let app, overlay, device: String

    init(_ session: HostSession) {
        (app, overlay, device) = (session.app.name, session.overlay.id, session.device.udid)
    }

    /// `{"app", "overlay", "device"}`; a document adds its own members.
    var members: JSONObject {
        var object = JSONObject()
        object["app"] = .string(app)
        object["overlay"] = .string(overlay)
        object["device"] = .string(device)
        return object
    }
}
