import DeviceTransport
import Foundation
import SimulatedDevice
import TestSupport

let appID = "org.example.reader"

extension SimulatedDeviceSettings {
    /// A device without TLS, of a version that opens containers, with one app.
    static var reader: SimulatedDeviceSettings {
        SimulatedDeviceSettings(
            iosVersion: "8.1", usesTLS: false, serviceTLS: false,
            apps: [SimulatedApp(bundleID: appID, name: "Reader")])
    }

    /// The same with sessions and services encrypted.
    static var encryptedReader: SimulatedDeviceSettings {
        var settings = reader
        settings.usesTLS = true
        settings.serviceTLS = true
        return settings
    }
}

/// A session with a device of the shared daemon.
func openSession(_ device: SimulatedDevice, _ options: DeviceSessionOptions = DeviceSessionOptions()) throws
    -> DeviceSession
{
    try DeviceSession(
        DeviceDescription(udid: device.settings.udid, links: [.usb]), options: options)
}

/// The container of the one app.
func openFiles(_ device: SimulatedDevice, _ options: DeviceSessionOptions = DeviceSessionOptions()) throws
    -> DeviceFiles
{
    try openSession(device, options).open(.container(bundleID: appID))
}
