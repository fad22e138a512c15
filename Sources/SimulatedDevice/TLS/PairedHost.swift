import Foundation
import PropertyLists

/// What a device keeps of a host it is paired with.
struct PairedHost: Sendable, Equatable {
    var hostID: String
    /// Made by the host for the device's public key; the device shows it to that host.
    var deviceCertificate: Data
    var hostCertificate: Data
    var rootCertificate: Data
    /// What the device gave the host; nil in a file of a time when it was not kept.
    var escrowBag: Data?
}

extension PairedHost {
    /// Reads the `PairRecord` of a request or a stored entry; nil when something is missing.
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
