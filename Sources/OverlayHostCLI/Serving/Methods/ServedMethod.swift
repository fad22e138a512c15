import JSON
import OverlayHost

/// A method of the protocol: its parameters, and where and how it runs.
struct ServedMethod: Sendable {
    /// The work for a request without a session, on its own thread.
    typealias HostWork = @Sendable (ServingHost, PendingRequest) throws(HostError) -> JSONValue?
    /// The work for a request in a session, on the thread of its device. Its result answers the request.
    typealias SessionWork = @Sendable (ServedSession, PendingRequest) throws(HostError) -> JSONValue

    /// Reads the parameters of a request, so that wrong ones are refused before a device is looked for.
    typealias DeviceWork = @Sendable (RequestParameters) throws(HostError) -> DeviceTurns.Work

    /// Where a method runs.
    enum Work: Sendable {
        /// If the work returns nil, it answers the request later.
        case host(HostWork, asksDevices: Bool)
        /// On the thread of the device that the parameter `device` means. The result answers the request.
        case device(DeviceWork)
        /// On the threads of all devices that the parameter `device` means. `answer` combines their results.
        case devices(DeviceWork, answer: @Sendable ([JSONValue]) -> JSONValue)
        case session(SessionWork)
    }

    let name: String
    /// The names of its parameters, except `session`.
    let parameters: [String]
    let work: Work

    /// A method without a session.
    ///
    /// - Parameter asksDevices: whether it sends requests to usbmuxd or a device, which are limited.
    static func host(
        _ name: String, _ parameters: [String] = [], asksDevices: Bool = true, _ work: @escaping HostWork
    ) -> ServedMethod {
        ServedMethod(name: name, parameters: parameters, work: .host(work, asksDevices: asksDevices))
    }

    /// A method for one device without a session.
    static func device(
        _ name: String, _ parameters: [String] = [], _ work: @escaping DeviceWork
    ) -> ServedMethod {
        ServedMethod(name: name, parameters: parameters, work: .device(work))
    }

    /// A method for several devices without a session.
    static func devices(
        _ name: String, _ parameters: [String] = [], _ work: @escaping DeviceWork,
        answer: @escaping @Sendable ([JSONValue]) -> JSONValue
    ) -> ServedMethod {
        ServedMethod(name: name, parameters: parameters, work: .devices(work, answer: answer))
    }

    /// A method in a session.
    static func session(
        _ name: String, _ parameters: [String] = [], _ work: @escaping SessionWork
    ) -> ServedMethod {
        ServedMethod(name: name, parameters: parameters + ["session"], work: .session(work))
    }

    /// All methods except those of the connection itself.
    static let all: [ServedMethod] =
        DeviceMethods.all + SessionMethods.all + BookMethods.all + ChangeMethods.all + PreferenceMethods.all

    /// The notifications that the program sends.
    static let notifications = ["progress", "row", "log", "connection", "device"]
}
