/// Writes small ZIP archives without compression, also deliberately odd ones.
package struct ZipBuilder {
    /// One file or folder.
    package struct Entry {
        /// The name as bytes.
        package var name: [UInt8]
        /// The content.
        package var content: [UInt8]
        /// The general purpose flags; bit 0 says that the content is encrypted.
        package var flags: UInt16 = 1 << 11
        /// The system that wrote the entry, in the upper byte.
        package var madeBy: UInt16 = 0x0314
        /// The external attributes.
        package var attributes: UInt32 = 0

        /// A file of a name and content.
        package init(_ name: String, _ content: [UInt8] = []) {
            self.name = Array(name.utf8)
            self.content = content
        }

        /// A file of a name and a text.
        package init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }
    }

    /// The archive of these entries.
    package static func archive(_ entries: [Entry]) -> [UInt8] {
        var bytes: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            let offset = bytes.count
            let sum = crc32(entry.content)
            bytes.append(number: 0x0403_4B50, size: 4)
            let common = common(entry, sum)
            bytes += common
            bytes.append(number: 0, size: 2)
            bytes += entry.name
            bytes += entry.content
            directory.append(number: 0x0201_4B50, size: 4)
            directory.append(number: UInt32(entry.madeBy), size: 2)
            directory += common
            directory += [UInt8](repeating: 0, count: 8)
            directory.append(number: entry.attributes, size: 4)
            directory.append(number: UInt32(truncatingIfNeeded: offset), size: 4)
            directory += entry.name
        }
        let start = bytes.count
        bytes += directory
        bytes.append(number: 0x0605_4B50, size: 4)
        bytes.append(number: 0, size: 4)
        bytes.append(number: UInt32(entries.count), size: 2)
        bytes.append(number: UInt32(entries.count), size: 2)
        bytes.append(number: UInt32(directory.count), size: 4)
        bytes.append(number: UInt32(truncatingIfNeeded: start), size: 4)
        bytes.append(number: 0, size: 2)
        return bytes
    }

    /// An archive of empty files.
    package static func archive(named names: String...) -> [UInt8] { archive(names.map { Entry($0, "x") }) }

    /// The fields that local header and directory share, from the version to the length of the name.
    private static func common(_ entry: Entry, _ sum: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: 20, size: 2)
        bytes.append(number: UInt32(entry.flags), size: 2)
        bytes.append(number: 0, size: 2)
        bytes.append(number: 0x0021_0000, size: 4)
        bytes.append(number: sum, size: 4)
        bytes.append(number: UInt32(entry.content.count), size: 4)
        bytes.append(number: UInt32(entry.content.count), size: 4)
        bytes.append(number: UInt32(entry.name.count), size: 2)
        return bytes
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }
}

extension [UInt8] {
    /// Appends a number, its lowest byte first.
    fileprivate mutating func append(number: UInt32, size: Int) {
        for index in 0..<size { append(UInt8(truncatingIfNeeded: number >> UInt32(index * 8))) }
    }
}
