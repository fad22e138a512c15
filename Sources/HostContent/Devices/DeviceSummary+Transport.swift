import DeviceTransport
import HostErrors

extension DeviceSummary {
    /// Creates the summary of a device from its information.
    package init(
        _ device: DeviceDescription, _ information: DeviceInformation?, pairing: PairingState? = nil,
        problem: HostError? = nil
    ) {
        self.init(
            udid: device.udid, name: information?.name, model: information?.productType,
            ios: information?.productVersion, connection: device.preferredLink.rawValue,
            pairing: pairing?.rawValue, problem: problem)
    }
}
