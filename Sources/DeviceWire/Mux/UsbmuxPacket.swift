import PropertyLists

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

    /// A message of the property list dialect.
    package init(tag: UInt32, _ list: PropertyList) throws(PropertyListError) {
        self.init(
            version: 1, message: UsbmuxHeader.Message.propertyList, tag: tag, body: try list.encoded())
    }

    /// A result of the binary dialect.
    package init(tag: UInt32, binaryResult: UsbmuxResult) {
        self.init(
            version: 0, message: UsbmuxHeader.Message.result, tag: tag,
            body: (0..<4).map { UInt8(truncatingIfNeeded: binaryResult.rawValue >> (8 * $0)) })
    }

    /// Takes the first message off `bytes`; nil when more bytes are needed.
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
/// Requests about pair records answer with an `errno` value in the same place.
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
    /// The pair record could not be read or written (`EIO`).
    package static let recordFailure = UsbmuxResult(rawValue: 5)
    /// The name or the content of a pair record is not acceptable (`EINVAL`).
    package static let badRecord = UsbmuxResult(rawValue: 22)
}
