import MarvinCommands
import OverlayKit

extension MarvinOverlay: ChecksPresence, ChecksUSB, Ejects, CleansUpAfterYank {
    /// Whether Marvin can be reached and accepts commands now.
    ///
    /// Takes three requests, or fewer if Marvin is not in connection mode.
    public func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence {
        if let ejection = connected.usb.ejection { return ejection }
        connected.usb.remember(try host.transport.device(), device)
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

    /// The index of this instance's USB device. Does not send requests to the device.
    public func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(OverlayError) -> Int? {
        if connected.usb.udid == nil, !connected.usb.isEjected { identify() }
        return connected.usb.index(in: devices, presenceOnly: presenceOnly)
    }

    /// Remembers the session's device, if the host knows its UDID in this state.
    private func identify() {
        do throws(OverlayError) {
            connected.usb.remember(try host.transport.device())
        } catch {
            host.log.debug("marvin", "Cannot identify the device yet: \(error.message)")
        }
    }

    /// Ends the connection. The device is not notified, because nothing of it is in use between two calls.
    public func eject() throws(OverlayError) {
        connected.usb.eject()
    }

    /// Forgets the device.
    public func postYankCleanup() {
        connected = ConnectedDevice()
        shown = ReportedCollections()
        cache.forget()
    }
}
