import DeviceTransport
import OverlayHost
import Platform
import Synchronization

/// The names of devices by UDID, because people do not know the UDIDs. Any thread.
final class DeviceNames: Sendable {
    private let cancellation: Cancellation
    /// The name is empty for a device that does not provide one.
    private let known = Mutex<[String: String]>([:])

    init(_ cancellation: Cancellation) { self.cancellation = cancellation }

    /// Stores the name of a device.
    func note(_ udid: String, _ name: String?) {
        guard let name, !name.isEmpty else { return }
        known.withLock { $0[UDID.plain(udid)] = name }
    }

    /// The name of the device that a message concerns; nil if it concerns something else or the device does not
    /// provide a name. Asks the device if it has not been asked before.
    func name(of subject: String) -> String? {
        guard Self.isUDID(subject) else { return nil }
        let key = UDID.plain(subject)
        if let name = known.withLock({ $0[key] }) { return name.isEmpty ? nil : name }
        let name = DeviceSurvey.name(of: subject, loggers: nil, cancellation: cancellation)
        known.withLock { $0[key] = name ?? "" }
        return name
    }

    /// Whether a text has the form of a UDID: 40 hexadecimal digits, or 8 and 16 of them with or without a dash.
    static func isUDID(_ text: String) -> Bool {
        let digits = UDID.plain(text)
        guard digits.utf8.count == 40 || digits.utf8.count == 24 else { return false }
        return digits.allSatisfy { $0.isASCII && $0.isHexDigit }
    }
}
