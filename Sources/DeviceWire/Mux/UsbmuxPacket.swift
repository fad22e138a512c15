import PropertyLists

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
