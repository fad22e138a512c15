import Foundation
import SimulatedDevice

/// Runs `body` with a device that is attached to `SharedUsbmuxd.daemon`, and detaches and removes it afterwards.
///
/// The device gets its own UDID and folder, regardless of the UDID in `settings`. Without settings TLS is off, which
/// saves a tenth of a second for each connection of libimobiledevice.
public func withSimulatedDevice<Result>(
    _ settings: SimulatedDeviceSettings = .withoutTLS, _ body: (SimulatedDevice) throws -> Result
) throws -> Result {
    let (device, folder) = try attachDevice(settings)
    defer {
        SharedUsbmuxd.daemon.detach(device)
        device.stopApps()
    }
    return try withExtendedLifetime(folder) { try body(device) }
}

extension SimulatedDeviceSettings {
    /// A trusted device without TLS.
    public static var withoutTLS: SimulatedDeviceSettings {
        SimulatedDeviceSettings(usesTLS: false, serviceTLS: false)
    }
}

/// A unique UDID of the older form.
public func randomUDID() -> String {
    var digits = ""
    while digits.count < 40 { digits += UUID().uuidString.filter(\.isHexDigit).lowercased() }
    return String(digits.prefix(40))
}

private func attachDevice(_ settings: SimulatedDeviceSettings) throws -> (SimulatedDevice, TemporaryFolder) {
    let folder = try TemporaryFolder()
    var settings = settings
    settings.udid = randomUDID()
    let device = try SimulatedDevice(folder: folder.url, settings: settings)
    SharedUsbmuxd.daemon.attach(device)
    return (device, folder)
}
