import JSON
import OverlayHost

/// A method of the protocol: its parameters, and where and how it works.
struct ServedMethod: Sendable {
    /// Works for a request that needs no session, on a thread of the request's own.
    typealias HostWork = @Sendable (ServingHost, PendingRequest) throws(HostError) -> JSONValue?
    /// Works for a request about a session, on the thread of its device. What it gives is carried out there.
    typealias SessionWork = @Sendable (ServedSession, PendingRequest) throws(HostError) -> JSONValue

    /// Where a method works.
    enum Work: Sendable {
        /// Nil: the work answers the request itself, later.
        case host(HostWork, asksDevices: Bool)
        case session(SessionWork)
    }

    let name: String
    /// The names of its parameters, apart from `session`.
    let parameters: [String]
    let work: Work

    /// A method without a session.
    ///
    /// - Parameter asksDevices: whether it asks usbmuxd or a device, which takes turns.
    static func host(
        _ name: String, _ parameters: [String] = [], asksDevices: Bool = true, _ work: @escaping HostWork
    ) -> ServedMethod {
        ServedMethod(name: name, parameters: parameters, work: .host(work, asksDevices: asksDevices))
    }

    /// A method of a session.
    static func session(
        _ name: String, _ parameters: [String] = [], _ work: @escaping SessionWork
    ) -> ServedMethod {
        ServedMethod(name: name, parameters: parameters + ["session"], work: .session(work))
    }

    /// All methods but those of the connection itself.
    static let all: [ServedMethod] =
        DeviceMethods.all + SessionMethods.all + BookMethods.all + ChangeMethods.all + PreferenceMethods.all

    /// The notifications that the program sends.
    static let notifications = ["progress", "row", "log", "connection", "device"]
}
