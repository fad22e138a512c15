/// The header of 40 bytes at the beginning of every AFC packet.
///
/// Layout, all little-endian: magic `CFA6LPAA`, entire length, length without payload, packet number, operation.
package struct AFCHeader: Hashable, Sendable {
    /// The size of a header in bytes.
    package static let size = 40
    /// The eight bytes `CFA6LPAA` as a little-endian number.
    package static let magic: UInt64 = 0x4141_504C_3641_4643
    /// The largest number of bytes between header and payload: two paths of the maximum length, and arguments.
    package static let maximumHeaderDataLength = 2 * (AFCRequest.maximumPathLength + 1) + 16

    /// The size of the complete packet in bytes: header, header data and payload.
    package var entireLength: Int
    /// The size of header and header data in bytes.
    package var thisLength: Int
    /// The number that the host chooses and the reply repeats.
    package var packetNumber: UInt64
    /// The operation of the request or the kind of reply.
    package var operation: AFCOperation

    /// Creates a header from the sizes of the packet's parts in bytes, which must not be negative.
    package init(operation: AFCOperation, packetNumber: UInt64, headerDataLength: Int, payloadLength: Int) {
        thisLength = Self.size + headerDataLength
        entireLength = Self.size + headerDataLength + payloadLength
        self.packetNumber = packetNumber
        self.operation = operation
    }

    /// The number of bytes between the header and the payload.
    package var headerDataLength: Int { thisLength - Self.size }
    /// The number of bytes after the header data.
    package var payloadLength: Int { entireLength - thisLength }
    /// The number of bytes after the header.
    package var bodyLength: Int { entireLength - Self.size }

    /// Parses a header from the first 40 bytes.
    ///
    /// Throws `truncated` for fewer bytes, `badMagic`, and `badLength` unless maximumLength >= entire >= this >= 40.
    /// `maximumLength` is the largest size of a complete packet that the reader accepts, in bytes.
    package init(decoding bytes: UnsafeRawBufferPointer, maximumLength: Int) throws(WireError) {
        guard bytes.count >= Self.size else {
            throw WireError(.truncated, "A header has 40 bytes, but only \(bytes.count) came.")
        }
        func field(_ offset: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        guard field(0) == Self.magic else {
            throw WireError(.badMagic, "The packet does not begin with CFA6LPAA.")
        }
        let entire = field(8)
        let this = field(16)
        let operation = AFCOperation(rawValue: field(32))
        guard this >= UInt64(Self.size), entire >= this, entire <= UInt64(max(0, maximumLength)) else {
            throw WireError(
                .badLength,
                "Lengths \(entire) and \(this) do not fit 40 <= this <= entire <= \(maximumLength).",
                subject: operation.name)
        }
        entireLength = Int(entire)
        thisLength = Int(this)
        packetNumber = field(24)
        self.operation = operation
    }

    /// Parses a header from the first 40 bytes of an array, like the other decoder.
    package init(decoding bytes: [UInt8], maximumLength: Int) throws(WireError) {
        let decoded = bytes.withUnsafeBytes { buffer in
            Result { () throws(WireError) in try AFCHeader(decoding: buffer, maximumLength: maximumLength)
            }
        }
        self = try decoded.get()
    }

    /// Writes the header into the first 40 bytes of the buffer, which must be at least that long.
    package func encode(into bytes: UnsafeMutableRawBufferPointer) {
        precondition(bytes.count >= Self.size, "a header needs 40 bytes")
        bytes.storeBytes(of: Self.magic.littleEndian, toByteOffset: 0, as: UInt64.self)
        bytes.storeBytes(of: UInt64(entireLength).littleEndian, toByteOffset: 8, as: UInt64.self)
        bytes.storeBytes(of: UInt64(thisLength).littleEndian, toByteOffset: 16, as: UInt64.self)
        bytes.storeBytes(of: packetNumber.littleEndian, toByteOffset: 24, as: UInt64.self)
        bytes.storeBytes(of: operation.rawValue.littleEndian, toByteOffset: 32, as: UInt64.self)
    }

    /// The header as an array of 40 bytes.
    package func encode() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.size) { buffer, count in
            encode(into: UnsafeMutableRawBufferPointer(buffer))
            count = Self.size
        }
    }
}
