import FoundationEssentials
import Glibc
import PropertyLists

/// The record that a host keeps of a device with which it is paired.
enum PairRecord {
    /// Pairs a new host with the device of `pairing` and returns the host's record.
    static func make(
        for pairing: DevicePairing, wifiAddress: String, systemBUID: String
    ) throws -> PropertyList {
        let host = try GeneratedKeys.host()
        let hostID = UUID().uuidString
        let rootCertificate = try Certificates.certificate(for: host, signedBy: host, isAuthority: true)
        let hostCertificate = try Certificates.certificate(for: host, signedBy: host, isAuthority: false)
        let deviceCertificate = try Certificates.certificate(
            for: pairing.privateKey(), signedBy: host, isAuthority: false)
        let bag = newEscrowBag()
        try pairing.add(
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
            "WiFiMACAddress": .string(wifiAddress),
        ]
    }

    /// A new escrow bag, which a host presents to use the device while it is locked.
    static func newEscrowBag() -> Data {
        Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
    }
}

/// The record that a device keeps of a host with which it is paired.
struct PairedHost: Sendable, Equatable {
    var hostID: String
    /// The certificate that the host created for the device's public key. The device presents it to that host.
    var deviceCertificate: Data
    var hostCertificate: Data
    var rootCertificate: Data
    /// The escrow bag that the device gave the host; nil in files from before it was stored.
    var escrowBag: Data?
}

extension PairedHost {
    /// Parses the `PairRecord` of a request or a stored entry; nil if a value is missing.
    init?(_ record: PropertyList, hostID: String) {
        guard let device = record["DeviceCertificate"]?.data, let host = record["HostCertificate"]?.data,
            let root = record["RootCertificate"]?.data
        else { return nil }
        self.init(
            hostID: hostID, deviceCertificate: device, hostCertificate: host, rootCertificate: root,
            escrowBag: record["EscrowBag"]?.data)
    }

    var propertyList: PropertyList {
        var entry: [String: PropertyList] = [
            "DeviceCertificate": .data(deviceCertificate), "HostCertificate": .data(hostCertificate),
            "RootCertificate": .data(rootCertificate),
        ]
        if let escrowBag { entry["EscrowBag"] = .data(escrowBag) }
        return .dictionary(entry)
    }
}
