import CBOR
import FoundationEssentials

extension FuzzTarget {
    /// CBOR: what is read from any items is written as items that are read as the same values. Arrays are read as
    /// texts.
    static let cbor = FuzzTarget(
        name: "cbor", longest: 4 << 10,
        run: { data in
            let (copy, _) = copied([UInt8](data))
            let (again, isDamaged) = copied(copy)
            expect(!isDamaged, "a copy of the items is damaged")
            expect(again == copy, "the items change when written and read")
        },
        seeds: {
            var writer = CBORWriter()
            writer.append(UInt64.max)
            writer.append(Int64.min)
            writer.append(0.5)
            writer.append(true)
            writer.append(nil as String?)
            writer.append(["Emma", ""])
            [1, 2, 3].withUnsafeBytes { writer.append(bytes: $0) }
            return [
                Data(writer.bytes), Data([0x82, 0x1B, 0, 0, 0, 0, 0, 0, 0, 5]), Data([0x81, 0x1C]),
                Data([0x9F, 0x01, 0xFF]), Data([0x7B, 0xFF, 0xFF]),
            ]
        })

    /// The items that can be read, written again.
    private static func copied(_ bytes: [UInt8]) -> (bytes: [UInt8], isDamaged: Bool) {
        bytes.withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            var writer = CBORWriter()
            while reader.left > 0 {
                let first = bytes[reader.position]
                let before = writer
                switch first >> 5 {
                case 0: writer.append(reader.unsigned())
                case 1: writer.append(reader.signed())
                case 2: writer.append(bytes: reader.byteString())
                case 3: writer.append(reader.text())
                case 4: writer.append(reader.texts())
                case 7 where first == 0xFB: writer.append(reader.double())
                default: writer.append(reader.bool())
                }
                if reader.isDamaged { return (before.bytes, true) }
            }
            expect(reader.position == bytes.count, "bytes are read that do not exist")
            return (writer.bytes, false)
        }
    }
}
