import PropertyLists

/// The header of 16 bytes in front of every usbmuxd message: four little-endian 32-bit numbers.
package struct UsbmuxHeader: Sendable, Equatable {
    package static let size = 16
    /// The longest message that is accepted, including the header, in bytes. Pair records, the largest content, have
    /// about 20 kB.
    package static let longestMessage = 1 << 20

    /// The kinds of message. All except property lists belong to version 0.
    package enum Message {
        package static let result: UInt32 = 1
        package static let propertyList: UInt32 = 8
    }

    /// The length of the message in bytes, including this header.
    package var length: UInt32
    /// The protocol version: 0 for the binary dialect, 1 for property lists.
    package var version: UInt32
    package var message: UInt32
    /// The number that the client chooses and the answer repeats.
    package var tag: UInt32

    package init(length: UInt32, version: UInt32, message: UInt32, tag: UInt32) {
        self.length = length
        self.version = version
        self.message = message
        self.tag = tag
    }

    /// Parses a header from exactly 16 bytes and validates its length field.
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

    /// The number of bytes that follow this header.
    package var bodyLength: Int { Int(length) - UsbmuxHeader.size }

    package var encoded: [UInt8] {
        [length, version, message, tag].flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
    }
}

/// One usbmuxd message.
package struct UsbmuxPacket: Sendable, Equatable {
    package var version: UInt32
    package var message: UInt32
    package var tag: UInt32
    package var body: [UInt8]

    package init(version: UInt32, message: UInt32, tag: UInt32, body: [UInt8]) {
        self.version = version
        self.message = message
        self.tag = tag
        self.body = body
    }

    /// Creates a message of the property list dialect.
    package init(tag: UInt32, _ list: PropertyList) throws(PropertyListError) {
        self.init(
            version: 1, message: UsbmuxHeader.Message.propertyList, tag: tag, body: try list.encoded())
    }

    /// Creates a result of the binary dialect.
    package init(tag: UInt32, binaryResult: UsbmuxResult) {
        self.init(
            version: 0, message: UsbmuxHeader.Message.result, tag: tag,
            body: (0..<4).map { UInt8(truncatingIfNeeded: binaryResult.rawValue >> (8 * $0)) })
    }

    /// Removes and decodes the first message in `bytes`; nil if more bytes are needed.
    package static func decode(_ bytes: inout ArraySlice<UInt8>) throws(WireError) -> UsbmuxPacket? {
        guard bytes.count >= UsbmuxHeader.size else { return nil }
        let header = try UsbmuxHeader(decoding: bytes.prefix(UsbmuxHeader.size))
        guard bytes.count >= Int(header.length) else { return nil }
        let body = Array(bytes.dropFirst(UsbmuxHeader.size).prefix(header.bodyLength))
        bytes = bytes.dropFirst(Int(header.length))
        return UsbmuxPacket(version: header.version, message: header.message, tag: header.tag, body: body)
    }

    package var encoded: [UInt8] {
        UsbmuxHeader(
            length: UInt32(UsbmuxHeader.size + body.count), version: version, message: message, tag: tag
        ).encoded + body
    }
}

/// The number in a usbmuxd `Result`.
///
/// For requests about pair records, it is an `errno` value instead.
package struct UsbmuxResult: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let ok = UsbmuxResult(rawValue: 0)
    package static let badCommand = UsbmuxResult(rawValue: 1)
    package static let badDevice = UsbmuxResult(rawValue: 2)
    package static let connectionRefused = UsbmuxResult(rawValue: 3)
    package static let badVersion = UsbmuxResult(rawValue: 6)
    /// The pair record does not exist (`ENOENT`).
    package static let noSuchRecord = UsbmuxResult(rawValue: 2)
    /// The name or the content of a pair record is invalid (`EINVAL`).
    package static let badRecord = UsbmuxResult(rawValue: 22)
}
