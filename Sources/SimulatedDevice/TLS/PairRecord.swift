import Foundation
import PropertyLists

/// The record a host keeps of a device it is paired with.
enum PairRecord {
    /// Pairs a new host with `device` and gives what that host keeps.
    static func make(for device: SimulatedDevice, systemBUID: String) throws -> PropertyList {
        let host = try GeneratedKeys.host()
        let hostID = UUID().uuidString
        let rootCertificate = try Certificates.certificate(for: host, signedBy: host, isAuthority: true)
        let hostCertificate = try Certificates.certificate(for: host, signedBy: host, isAuthority: false)
        let deviceCertificate = try Certificates.certificate(
            for: device.pairing.privateKey(), signedBy: host, isAuthority: false)
        let bag = newEscrowBag()
        try device.pairing.add(
            PairedHost(
                hostID: hostID, deviceCertificate: Data(deviceCertificate),
                hostCertificate: Data(hostCertificate),
                rootCertificate: Data(rootCertificate), escrowBag: bag))
        return [
            "DeviceCertificate": .data(Data(deviceCertificate)),
            "HostCertificate": .data(Data(hostCertificate)),
            "HostPrivateKey": .data(Data(host)), "RootCertificate": .data(Data(rootCertificate)),
            "RootPrivateKey": .data(Data(host)), "HostID": .string(hostID), "SystemBUID": .string(systemBUID),
            "EscrowBag": .data(bag),
            "WiFiMACAddress": .string(DeviceIdentity(device.settings).wifiAddress),
        ]
    }

    /// What a device gives a host so that it may come back while the device is locked.
    static func newEscrowBag() -> Data {
        Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
    }
}
