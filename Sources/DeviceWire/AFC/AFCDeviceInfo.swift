/// What GET_DEVINFO says: the device's model and the space of its disk in bytes.
package struct AFCDeviceInfo: Hashable, Sendable {
    /// The hardware model, for example `iPad13,4`; empty when not told.
    package var model: String
    /// Capacity in bytes.
    package var totalBytes: UInt64
    /// Bytes still free.
    package var freeBytes: UInt64
    /// Bytes of one block, 0 when not told.
    package var blockSize: UInt64

    /// Describes a device.
    package init(model: String, totalBytes: UInt64, freeBytes: UInt64, blockSize: UInt64) {
        self.model = model
        self.totalBytes = totalBytes
        self.freeBytes = freeBytes
        self.blockSize = blockSize
    }

    /// Reads the payload of the reply; throws `malformedReply` when a size is missing or not a number.
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

    /// The payload of the reply.
    package func encode() -> [UInt8] {
        AFCDictionary([
            .init("Model", model), .init("FSTotalBytes", String(totalBytes)),
            .init("FSFreeBytes", String(freeBytes)),
            .init("FSBlockSize", String(blockSize)),
        ]).encode()
    }
}
