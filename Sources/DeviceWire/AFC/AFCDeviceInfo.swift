/// The reply to GET_DEVINFO: the device's model and the space on its disk.
package struct AFCDeviceInfo: Hashable, Sendable {
    /// The hardware model, for example `iPad13,4`; empty if not reported.
    package var model: String
    /// The capacity in bytes.
    package var totalBytes: UInt64
    /// The free space in bytes.
    package var freeBytes: UInt64
    /// The block size in bytes; 0 if not reported.
    package var blockSize: UInt64

    /// Creates the description of a device.
    package init(model: String, totalBytes: UInt64, freeBytes: UInt64, blockSize: UInt64) {
        self.model = model
        self.totalBytes = totalBytes
        self.freeBytes = freeBytes
        self.blockSize = blockSize
    }

    /// Parses the payload of the reply. Throws `malformedReply` if a size is missing or not a number.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        let fields = try AFCDictionary(decoding: bytes)
        guard let total: UInt64 = try fields.number("FSTotalBytes"),
            let free: UInt64 = try fields.number("FSFreeBytes")
        else {
            throw WireError(
                .malformedReply, "FSTotalBytes or FSFreeBytes is missing.", subject: AFCOperation.data.name)
        }
        self.init(
            model: fields["Model"] ?? "", totalBytes: total, freeBytes: free,
            blockSize: try fields.number("FSBlockSize") ?? 0)
    }

    /// Encodes the payload of the reply.
    package func encode() -> [UInt8] {
        AFCDictionary([
            .init("Model", model), .init("FSTotalBytes", String(totalBytes)),
            .init("FSFreeBytes", String(freeBytes)),
            .init("FSBlockSize", String(blockSize)),
        ]).encode()
    }
}
