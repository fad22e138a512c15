import CLibimobiledevice
import Glibc

/// The record that usbmuxd keeps of the pairing of the host with a device.
struct HostPairRecord: Sendable {
    private let values: [String: DeviceValue]

    /// Reads the record from usbmuxd. Blocks for up to 5 s, so it is called within a `LibraryCall`.
    ///
    /// Throws `.notPaired` if there is no record, or if it cannot be used.
    static func read(udid: String) throws(TransportError) -> HostPairRecord {
        var data: UnsafeMutablePointer<CChar>?
        var size: UInt32 = 0
        let result = usbmuxd_read_pair_record(udid, &data, &size)
        defer { free(data) }
        if result == -ENOENT || result == -1 {
            // Daemons report a missing record in different ways. If the daemon itself is not running, the next
            // request fails.
            throw TransportError(
                .notPaired, "The device does not trust this computer.", subject: udid,
                hint: TransportError.trustHint, native: NativeCode(.usbmuxd, Int64(result)))
        }
        if let error = TransportError(usbmuxd: result, doing: "Reading the pair record", subject: udid) {
            throw error
        }
        let bytes = [UInt8](UnsafeRawBufferPointer(start: data, count: Int(size)))
        var values: [String: DeviceValue] = [:]
        do throws(TransportError) {
            values = try DeviceValue(parsing: bytes).dictionary ?? [:]
        } catch {
            throw TransportError(lockdownd: -2, doing: "Reading the pair record", subject: udid) ?? error
        }
        guard values["HostID"]?.string != nil else {
            throw TransportError(lockdownd: -2, doing: "Reading the pair record", subject: udid)
                ?? .violation("The pair record does not name the host.")
        }
        // Records of old programs lack the name that usbmuxd has for this host.
        if values["SystemBUID"] == nil, let name = systemName() { values["SystemBUID"] = .string(name) }
        return HostPairRecord(values: values)
    }

    private static func systemName() -> String? {
        var text: UnsafeMutablePointer<CChar>?
        defer { free(text) }
        guard usbmuxd_read_buid(&text) == 0, let text else { return nil }
        return String(cString: text)
    }

    /// The values by which the host identifies itself to begin a session.
    var credentials: [String: DeviceValue] {
        values.filter { ["HostID", "SystemBUID"].contains($0.key) }
    }

    /// The escrow bag that the device gave the host, which it needs while the device is locked.
    var escrowBag: DeviceValue? { values["EscrowBag"] }

    /// The part of the record that the device may see.
    var forValidation: DeviceValue {
        let keys = ["DeviceCertificate", "HostCertificate", "RootCertificate", "HostID", "SystemBUID"]
        return .dictionary(values.filter { keys.contains($0.key) })
    }

    /// Adds the record's certificate and key to a TLS identity. Throws `.tlsFailed`.
    func fill(_ identity: TLSIdentity, isBeforeIOS10: Bool) throws(TransportError) {
        try identity.use(
            certificate: values["RootCertificate"]?.data ?? [], key: values["RootPrivateKey"]?.data ?? [],
            isBeforeIOS10: isBeforeIOS10)
    }
}
