import PropertyLists
import DeviceWire
import Testing

@Suite("Messages of usbmuxd are found in any stream")
struct UsbmuxPacketTests {
    @Test("The header is four little-endian numbers, its own size counted in the length")
    func layout() throws {
        let packet = UsbmuxPacket(version: 1, message: 8, tag: 0x0102_0304, body: [9, 9, 9])
        #expect(packet.encoded == [19, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 4, 3, 2, 1, 9, 9, 9])
        #expect(
            UsbmuxPacket(tag: 7, binaryResult: .badVersion).encoded
                == [20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 6, 0, 0, 0])
    }

    @Test("Messages received together are returned one by one")
    func glued() throws {
        let packets = [
            try UsbmuxPacket(tag: 1, ["MessageType": "ListDevices"]),
            UsbmuxPacket(version: 0, message: 3, tag: 2, body: []),
            try UsbmuxPacket(tag: 3, ["MessageType": "ReadBUID"]),
        ]
        var stream = packets.flatMap(\.encoded)[...]
        for packet in packets { #expect(try UsbmuxPacket.decode(&stream) == packet) }
        #expect(try UsbmuxPacket.decode(&stream) == nil)
    }

    @Test("Fed byte by byte, a message comes out with its last byte and not before")
    func byteWise() throws {
        let packet = try UsbmuxPacket(tag: 5, ["MessageType": "Listen"])
        let bytes = packet.encoded
        for length in 0..<bytes.count {
            var part = bytes.prefix(length)
            #expect(try UsbmuxPacket.decode(&part) == nil)
            #expect(part.count == length)
        }
        var whole = bytes[...]
        #expect(try UsbmuxPacket.decode(&whole) == packet)
    }

    @Test(
        "A length below the header or beyond the limit is refused",
        arguments: [0, 15, 1_048_577, .max] as [UInt32])
    func lengths(length: UInt32) {
        var bytes = UsbmuxHeader(length: length, version: 1, message: 8, tag: 1).encoded[...]
        #expect(throws: WireError.self) { try UsbmuxPacket.decode(&bytes) }
    }
}
