import FoundationEssentials
import Glibc
import PropertyLists

/// The values that lockdownd returns.
struct DeviceValues {
    let device: SimulatedDevice
    let settings: SimulatedDeviceSettings

    init(_ device: SimulatedDevice) {
        self.device = device
        settings = device.settings
    }

    /// The keys of the default domain that a host may read without a session.
    static let openKeys: Set<String> = [
        "BasebandCertId", "BluetoothAddress", "BoardId", "BrickState", "BuildVersion", "CPUArchitecture",
        "ChipID",
        "DeviceClass", "DeviceColor", "DeviceName", "DevicePublicKey", "DieID", "FirmwareVersion",
        "HardwareModel",
        "HostAttached", "PasswordProtected", "ProductName", "ProductType", "ProductVersion",
        "ProtocolVersion",
        "TrustedHostAttached", "UniqueChipID", "UniqueDeviceID", "WiFiAddress",
    ]

    /// All values of a domain; nil means the default domain. An unknown domain is empty.
    func all(of domain: String?) throws -> [String: PropertyList] {
        var values: [String: PropertyList]
        switch domain {
        case nil: values = try standard()
        case "com.apple.disk_usage", "com.apple.disk_usage.factory": values = disk
        case "com.apple.mobile.battery": values = battery
        case "com.apple.international": values = ["Keyboard": "en_GB", "Language": "en", "Locale": "en_GB"]
        case "com.apple.mobile.wireless_lockdown": values = ["EnableWifiConnections": false]
        default: values = [:]
        }
        for (key, value) in device.changedValues(of: domain) { values[key] = value }
        return values
    }

    private func standard() throws -> [String: PropertyList] {
        let identity = DeviceIdentity(settings)
        let now = Date()
        let publicKey = try Certificates.publicKey(ofPrivateKey: device.pairing.privateKey())
        return [
            "ActivationState": "Activated", "BluetoothAddress": .string(identity.bluetoothAddress),
            "BoardId": 6, "BrickState": false, "BuildVersion": .string(identity.buildVersion),
            "CPUArchitecture": .string(identity.version < IOSVersion(7) ? "armv7" : "arm64"), "ChipID": 35168,
            "DeviceClass": .string(identity.deviceClass), "DeviceColor": "#e1e4e3",
            "DeviceName": .string(settings.name), "DevicePublicKey": .data(Data(publicKey)),
            "DieID": .integer(identity.chipID), "FirmwareVersion": "iBoot-2817.60.2",
            "HardwareModel": "J86AP",
            "HardwarePlatform": "s5l8960x", "HostAttached": true, "ModelNumber": "ME279",
            "PartitionType": "GUID_partition_scheme", "PasswordProtected": .boolean(settings.isLocked),
            "ProductName": "iPhone OS",
            "ProductType": .string(settings.productType), "ProductVersion": .string(settings.iosVersion),
            "ProtocolVersion": "2", "RegionInfo": "FD/A", "SerialNumber": .string(identity.serialNumber),
            "TimeIntervalSince1970": .real(now.timeIntervalSince1970), "TimeZone": "UTC",
            "TimeZoneOffsetFromUTC": 0, "TrustedHostAttached": .boolean(settings.trust == .trusted),
            "UniqueChipID": .integer(identity.chipID), "UniqueDeviceID": .string(settings.udid),
            "Uses24HourClock": true, "WiFiAddress": .string(identity.wifiAddress),
        ]
    }

    private var disk: [String: PropertyList] {
        let total = Int64(clamping: settings.totalBytes)
        let free = Int64(clamping: min(settings.freeBytes, settings.totalBytes))
        return [
            "AmountDataAvailable": .integer(free), "AmountDataReserved": 0,
            "TotalDataAvailable": .integer(free),
            "TotalDataCapacity": .integer(total), "TotalDiskCapacity": .integer(total),
            "TotalSystemAvailable": 0,
            "TotalSystemCapacity": 0,
        ]
    }

    private var battery: [String: PropertyList] {
        [
            "BatteryCurrentCapacity": 100, "BatteryIsCharging": false, "ExternalChargeCapable": true,
            "ExternalConnected": true, "FullyCharged": true, "GasGaugeCapability": true, "HasBattery": true,
        ]
    }
}
