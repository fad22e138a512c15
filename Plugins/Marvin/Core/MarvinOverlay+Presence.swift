import CommandProtocol
import OverlayKit

extension MarvinOverlay: ChecksPresence, ChecksUSB, Ejects, CleansUpAfterYank {
    /// Whether Marvin can be reached and accepts commands now.
    ///
    /// Takes three requests, or fewer if Marvin is not in connection mode.
    public func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence {
        if connected.isEjected {
            return .no(.ejected, "The device was ejected.", hint: "Unplug the device and plug it in again.")
        }
        connected.udid = try host.transport.device().udid ?? device.serial
        let paths: MarvinPaths
        switch try access() {
        case .library(let found): paths = found
        // Documents are accessible whether the app runs or not.
        case .documents: return .yes(appVersion: try host.transport.device().appVersion)
        case .none(let reason, let hint): return .no(.accessRefused, reason, hint: hint)
        }
        let connection: ConnectionStatus?
        do {
            connection = try MarvinDevice.connection(host.transport, paths)
        } catch {
            switch error.status {
            case .protocolError:
                let hint = error.retryable ? "Try again in a moment." : MarvinHint.connect
                return .notNow(.notInConnectionMode, "Cannot read Marvin's connection file.", hint: hint)
            case .accessRefused:
                return .no(.accessRefused, error.message, hint: error.hint)
            default: throw error
            }
        }
        guard let connection else {
            return .notNow(
                .notInConnectionMode, "Marvin is not in connection mode.", hint: MarvinHint.connect,
                appVersion: connected.appVersion)
        }
        connected.appVersion = connection.appVersion
        guard connection.state == .online else {
            return .notNow(
                .appOffline, "Marvin is in the background, or the device is asleep.",
                hint: MarvinHint.connect,
                appVersion: connection.appVersion)
        }
        return .yes(appVersion: connection.appVersion)
    }

    /// The index of this instance's USB device: the known one, or else the first Apple device.
    ///
    /// Does not send requests to the device. An ejected device counts as absent until it has been unplugged.
    public func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(OverlayError) -> Int? {
        if connected.udid == nil, !connected.isEjected { connected.udid = knownUDID() }
        guard let udid = connected.udid else {
            // Vendor 0 means that the host does not know the vendor.
            return presenceOnly ? nil : devices.firstIndex { $0.vendorID == 0x05AC || $0.vendorID == 0 }
        }
        let index = devices.firstIndex { $0.serial.map { Self.isSame($0, udid) } ?? false }
        guard connected.isEjected else { return index }
        if index == nil { connected.isEjected = false }
        return nil
    }

    /// The UDID of the session's device; nil if the host does not know it in this state.
    private func knownUDID() -> String? {
        switch Result(catching: { () throws(OverlayError) in try host.transport.device() }) {
        case .success(let device): return device.udid
        case .failure(let error):
            host.log.debug("marvin", "Cannot identify the device yet: \(error.message)")
            return nil
        }
    }

    /// The USB serial number of newer devices is their UDID without the dash.
    private static func isSame(_ serial: String, _ udid: String) -> Bool {
        serial.lowercased().filter { $0 != "-" } == udid.lowercased().filter { $0 != "-" }
    }

    /// Ends the connection. The device is not notified, because nothing of it is in use between two calls.
    public func eject() throws(OverlayError) {
        connected.isEjected = true
    }

    /// Forgets the device.
    public func postYankCleanup() {
        connected = ConnectedDevice()
        shown = ReportedCollections()
        cache.forget()
    }
}
