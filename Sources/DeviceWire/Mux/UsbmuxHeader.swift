/// The 16 bytes in front of every usbmuxd message: four little-endian 32-bit numbers.
package struct UsbmuxHeader: Sendable, Equatable {
    package static let size = 16
    /// The longest message accepted, header included; pair records, the largest content, take some 20 kB.
    package static let longestMessage = 1 << 20

    /// The kinds of message; all but plists belong to version 0.
    package enum Message {
        package static let result: UInt32 = 1
        package static let propertyList: UInt32 = 8
    }

    /// Length of the message in bytes, this header included.
    package var length: UInt32
    /// 0 for the binary dialect, 1 for property lists.
    package var version: UInt32
    package var message: UInt32
    /// Chosen by the client and repeated in the answer.
    package var tag: UInt32

    package init(length: UInt32, version: UInt32, message: UInt32, tag: UInt32) {
        self.length = length
        self.version = version
        self.message = message
        self.tag = tag
    }

    /// Reads a header from exactly 16 bytes and checks its length field.
    package init(decoding bytes: some Collection<UInt8>) throws(WireError) {
        guard bytes.count == UsbmuxHeader.size else {
            throw WireError(.badLength, "A usbmuxd header has 16 bytes, not \(bytes.count).")
        }
        var words: [UInt32] = [0, 0, 0, 0]
        for (index, byte) in bytes.enumerated() { words[index / 4] |= UInt32(byte) << (8 * (index % 4)) }
        self.init(length: words[0], version: words[1], message: words[2], tag: words[3])
        guard length >= UsbmuxHeader.size, length <= UsbmuxHeader.longestMessage else {
            throw WireError(.badLength, "A usbmuxd message of \(length) bytes is outside the limits.")
        }
    }

    /// How many bytes follow this header.
    package var bodyLength: Int { Int(length) - UsbmuxHeader.size }

    package var encoded: [UInt8] {
        [length, version, message, tag].flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
    }
}
