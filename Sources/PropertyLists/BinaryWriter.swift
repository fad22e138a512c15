import Diagnostics
import FoundationEssentials

/// Writes the binary form of a property list.
struct BinaryWriter {
    private var objects: [[UInt8]] = []
    /// The references of arrays and dictionaries. They are written when the number of objects, which determines their
    /// size, is known.
    private var references: [Int: [Int]] = [:]
    private var strings: [[UInt8]: Int] = [:]

    static func write(_ list: PropertyList) throws(PropertyListError) -> [UInt8] {
        var writer = BinaryWriter()
        let top = writer.add(list)
        return try writer.assembled(top: top)
    }

    /// Adds a value with all values that it contains, and returns its object number.
    private mutating func add(_ value: PropertyList) -> Int {
        switch value {
        case .string(let text): return add(text)
        case .integer(let number): return append(Self.integer(number))
        case .unsigned(let number):
            return append([0x14] + Array(repeating: 0, count: 8) + Self.bytes(number, 8))
        case .real(let number): return append([0x23] + Self.bytes(number.bitPattern, 8))
        case .boolean(let flag): return append([flag ? 0x09 : 0x08])
        case .date(let date):
            return append([0x33] + Self.bytes(date.timeIntervalSinceReferenceDate.bitPattern, 8))
        case .data(let data): return append(Self.head(0x40, data.count) + data)
        case .uid(let number):
            let size = Self.size(number)
            return append([0x80 | UInt8(size - 1)] + Self.bytes(number, size))
        case .array(let values):
            let index = append(Self.head(0xA0, values.count))
            references[index] = values.map { add($0) }
            return index
        case .dictionary(let entries):
            let index = append(Self.head(0xD0, entries.count))
            let keys = entries.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            let names = keys.map { add($0) }
            references[index] = names + keys.compactMap { entries[$0].map { add($0) } }
            return index
        }
    }

    /// Adds a text, or finds an equal one, and returns its object number.
    private mutating func add(_ text: String) -> Int {
        let utf8 = Array(text.utf8)
        if let known = strings[utf8] { return known }
        let index: Int
        if utf8.allSatisfy({ $0 < 0x80 }) {
            index = append(Self.head(0x50, utf8.count) + utf8)
        } else {
            let units = Array(text.utf16)
            index = append(
                Self.head(0x60, units.count)
                    + units.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] })
        }
        strings[utf8] = index
        return index
    }

    private mutating func append(_ object: [UInt8]) -> Int {
        objects.append(object)
        return objects.count - 1
    }

    private func assembled(top: Int) throws(PropertyListError) -> [UInt8] {
        let referenceSize = Self.size(UInt64(objects.count))
        var bytes = PropertyList.binaryMark
        var offsets: [UInt64] = []
        offsets.reserveCapacity(objects.count)
        for (index, object) in objects.enumerated() {
            offsets.append(UInt64(bytes.count))
            bytes += object
            for reference in references[index] ?? [] {
                bytes += Self.bytes(UInt64(reference), referenceSize)
            }
        }
        let table = UInt64(bytes.count)
        guard table <= UInt64(UInt32.max) else {
            throw PropertyListError(.unsupported, "The property list is larger than 4 GiB.")
        }
        let offsetSize = Self.size(table)
        for offset in offsets { bytes += Self.bytes(offset, offsetSize) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [UInt64(objects.count), UInt64(top), table] { bytes += Self.bytes(number, 8) }
        return bytes
    }

    /// Encodes an integer. Numbers from 0 use the smallest possible size; negative numbers always use eight bytes.
    private static func integer(_ number: Int64) -> [UInt8] {
        let pattern = UInt64(bitPattern: number)
        let (mark, size): (UInt8, Int) =
            switch pattern {
            case 0...0xFF: (0x10, 1)
            case 0...0xFFFF: (0x11, 2)
            case 0...0xFFFF_FFFF: (0x12, 4)
            default: (0x13, 8)
            }
        return [mark] + bytes(pattern, size)
    }

    /// Encodes the beginning of an object that has a count.
    private static func head(_ mark: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [mark | UInt8(count)] : [mark | 0x0F] + integer(Int64(count))
    }

    /// The smallest supported size, in bytes, that can hold a number.
    private static func size(_ number: UInt64) -> Int {
        switch number {
        case 0...0xFF: 1
        case 0...0xFFFF: 2
        case 0...0xFFFF_FFFF: 4
        default: 8
        }
    }

    private static func bytes(_ number: UInt64, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }
}
