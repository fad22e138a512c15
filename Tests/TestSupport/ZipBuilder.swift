import CZlib
import Foundation

/// Writes ZIP archives field by field, valid or invalid.
public struct ZipBuilder: Sendable {
    /// One entry. A nil field gets the correct value.
    public struct Entry: Sendable {
        /// The bytes of the name.
        public var name: [UInt8]
        /// The content before compression.
        public var content: Data
        /// 0 stored, 8 deflated; other numbers store.
        public var method: UInt16 = 0
        /// General purpose bits.
        public var flags: UInt16 = 0
        /// Version and host system that made it; 3 is Unix, 0 DOS.
        public var madeBy: UInt16 = 3 << 8 | 20
        /// External attributes.
        public var attributes: UInt32 = 0
        /// Extra fields of the directory record.
        public var extra = Data()
        /// Extra fields of the local header.
        public var localExtra = Data()
        /// The name in the local header.
        public var localName: [UInt8]?
        /// The bytes in the archive.
        public var stored: Data?
        /// The declared length.
        public var length: UInt64?
        /// The declared compressed length.
        public var storedLength: UInt64?
        /// The declared checksum.
        public var checksum: UInt32?
        /// The declared place of the local header.
        public var offset: UInt64?
        /// The disk the entry begins on.
        public var disk: UInt16 = 0
        /// Whether lengths and checksum follow the data, and the local header has zeros.
        public var hasDescriptor = false
        /// Whether the numbers are in a ZIP64 field.
        public var isZip64 = false

        /// An entry of UTF-8 text or bytes.
        public init(_ name: String, _ content: Data, method: UInt16 = 0) {
            self.name = Array(name.utf8)
            self.content = content
            self.method = method
        }
    }

    /// The entries in order.
    public var entries: [Entry] = []
    /// The bytes before the first entry. Offsets count from the beginning of the file.
    public var prefix = Data()
    /// The bytes between the last entry and the directory.
    public var gap = Data()
    /// The comment at the end.
    public var comment = Data()
    /// Whether the end record is followed up by ZIP64 records.
    public var isZip64 = false
    /// The number of entries in the end record.
    public var count: UInt64?
    /// The declared start of the directory.
    public var directoryStart: UInt64?
    /// The declared length of the directory.
    public var directoryLength: UInt64?
    /// The number of this disk.
    public var disk: UInt16 = 0

    /// A builder without entries.
    public init() {}

    /// A builder of entries with text.
    public init(_ entries: KeyValuePairs<String, String>, method: UInt16 = 8) {
        self.entries = entries.map { Entry($0.key, Data($0.value.utf8), method: method) }
    }

    /// The archive.
    public func data() -> Data {
        var archive = prefix
        var directory = Data()
        for entry in entries {
            let offset = entry.offset ?? UInt64(archive.count)
            let stored = entry.stored ?? (entry.method == 8 ? Self.deflated(entry.content) : entry.content)
            let checksum = entry.checksum ?? Self.checksum(entry.content)
            let length = entry.length ?? UInt64(entry.content.count)
            let storedLength = entry.storedLength ?? UInt64(stored.count)
            let localName = entry.localName ?? entry.name
            let flags = entry.flags | (entry.hasDescriptor ? 8 : 0)
            archive += Self.number(0x0403_4B50, 4) + Self.number(20, 2) + Self.number(flags, 2)
            archive += Self.number(entry.method, 2) + Self.number(0, 4)
            for value in [UInt64(checksum), storedLength, length] {
                archive += Self.number(entry.hasDescriptor ? 0 : min(value, 0xFFFF_FFFF), 4)
            }
            archive += Self.number(localName.count, 2) + Self.number(entry.localExtra.count, 2)
            archive += localName + entry.localExtra + stored
            if entry.hasDescriptor {
                archive += Self.number(0x0807_4B50, 4) + Self.number(checksum, 4)
                archive += Self.number(storedLength, 4) + Self.number(length, 4)
            }
            var extra = entry.extra
            if entry.isZip64 {
                extra += Self.number(1, 2) + Self.number(24, 2)
                extra += Self.number(length, 8) + Self.number(storedLength, 8) + Self.number(offset, 8)
            }
            directory += Self.number(0x0201_4B50, 4) + Self.number(entry.madeBy, 2) + Self.number(20, 2)
            directory += Self.number(flags, 2) + Self.number(entry.method, 2) + Self.number(0, 4)
            directory += Self.number(checksum, 4)
            directory += Self.number(entry.isZip64 ? 0xFFFF_FFFF : min(storedLength, 0xFFFF_FFFF), 4)
            directory += Self.number(entry.isZip64 ? 0xFFFF_FFFF : min(length, 0xFFFF_FFFF), 4)
            directory += Self.number(entry.name.count, 2) + Self.number(extra.count, 2) + Self.number(0, 2)
            directory += Self.number(entry.disk, 2) + Self.number(0, 2) + Self.number(entry.attributes, 4)
            directory += Self.number(entry.isZip64 ? 0xFFFF_FFFF : min(offset, 0xFFFF_FFFF), 4)
            directory += entry.name + extra
        }
        archive += gap
        let start = directoryStart ?? UInt64(archive.count)
        let length = directoryLength ?? UInt64(directory.count)
        archive += directory
        return archive + endRecords(at: UInt64(archive.count), start: start, length: length)
    }

    private func endRecords(at position: UInt64, start: UInt64, length: UInt64) -> Data {
        var end = Data()
        let count = self.count ?? UInt64(entries.count)
        if isZip64 {
            end += Self.number(0x0606_4B50, 4) + Self.number(44, 8) + Self.number(45, 2) + Self.number(45, 2)
            end += Self.number(disk, 4) + Self.number(0, 4) + Self.number(count, 8) + Self.number(count, 8)
            end += Self.number(length, 8) + Self.number(start, 8)
            end +=
                Self.number(0x0706_4B50, 4) + Self.number(0, 4) + Self.number(position, 8) + Self.number(1, 4)
        }
        end += Self.number(0x0605_4B50, 4) + Self.number(disk, 2) + Self.number(0, 2)
        for _ in 0..<2 { end += Self.number(isZip64 ? 0xFFFF : min(count, 0xFFFF), 2) }
        end += Self.number(isZip64 ? 0xFFFF_FFFF : min(length, 0xFFFF_FFFF), 4)
        end += Self.number(isZip64 ? 0xFFFF_FFFF : min(start, 0xFFFF_FFFF), 4)
        return end + Self.number(comment.count, 2) + comment
    }

    /// Little-endian bytes of a number, cut to a width.
    public static func number(_ value: some BinaryInteger, _ width: Int) -> Data {
        let value = UInt64(truncatingIfNeeded: value)
        return Data((0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) })
    }

    /// The CRC-32 of bytes.
    public static func checksum(_ data: Data) -> UInt32 {
        data.withUnsafeBytes { bytes in
            UInt32(truncatingIfNeeded: crc32_z(0, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
        }
    }

    /// Bytes deflated without a header, fast rather than small.
    public static func deflated(_ data: Data) -> Data {
        var stream = z_stream()
        guard
            deflateInit2_(
                &stream, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return Data() }
        defer { deflateEnd(&stream) }
        var output = Data(count: Int(deflateBound(&stream, UInt(data.count))))
        let written = data.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { output in
                stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(output.count)
                deflate(&stream, Z_FINISH)
                return output.count - Int(stream.avail_out)
            }
        }
        return Data(output.prefix(written))
    }
}
