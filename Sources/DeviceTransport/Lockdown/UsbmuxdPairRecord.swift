import CLibimobiledevice
import Glibc

/// The record of trust that usbmuxd keeps for each device.
enum UsbmuxdPairRecord {
    /// The error for a device this computer was never paired with; nil when there is a record. Blocks for up to 5 s.
    static func missing(udid: String) -> TransportError? {
        var data: UnsafeMutablePointer<CChar>?
        var size: UInt32 = 0
        let result = usbmuxd_read_pair_record(udid, &data, &size)
        free(data)
        if result == 0 { return nil }
        if result == -ENOENT || result == -1 {
            // Daemons differ in how they say that there is none; one that is not there at all fails the next request.
            return TransportError(
                .notPaired, "the device does not trust this computer", subject: udid,
                hint: TransportError.trustHint, native: NativeError(.usbmuxd, Int64(result)))
        }
        return TransportError(usbmuxd: result, doing: "reading the pair record", subject: udid)
    }
}
