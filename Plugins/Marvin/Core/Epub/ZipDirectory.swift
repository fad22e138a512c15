/// The list of entries at the end of a ZIP archive (PKWARE APPNOTE, sections 4.3.12 to 4.3.16), read with bounds.
struct ZipDirectory<Failure: Error> {
    /// One entry.
    struct Entry: Equatable {
        var name: String
        /// Where its local header begins.
        var offset: UInt64
        var compressedSize: UInt64
    }

    enum Result: Equatable {
        case entries([Entry])
        /// A sentence that says what is wrong.
        case unreadable(String)
    }

    /// Most bytes of a directory that are read: room for some 100,000 entries, which no book has.
    private static var largest: UInt64 { 16 << 20 }

    let size: UInt64
    let read: (_ offset: UInt64, _ count: Int) throws(Failure) -> [UInt8]

    /// Reads the directory.
    func entries() throws(Failure) -> Result {
        // The end record is 22 bytes and a comment of up to 65,535; before it may stand a ZIP64 locator of 20 bytes.
        let tailSize = min(size, 22 + 65_535 + 20)
        let tail = try read(size - tailSize, Int(tailSize))
        guard let end = endRecord(tail) else {
            return .unreadable("The ZIP archive has no directory at its end: the file is incomplete.")
        }
        var (offset, length) = (UInt64(tail.u32(end + 16)), UInt64(tail.u32(end + 12)))
        var recordOffset = size - tailSize + UInt64(end)
        if offset == 0xFFFF_FFFF || length == 0xFFFF_FFFF || tail.u16(end + 10) == 0xFFFF,
            end >= 20, tail.u32(end - 20) == 0x0706_4B50
        {
            recordOffset = tail.u64(end - 12)
            guard recordOffset < size, size - recordOffset >= 56 else {
                return .unreadable("The directory of the ZIP archive lies outside the file.")
            }
            let record = try read(recordOffset, 56)
            guard record.count == 56, record.u32(0) == 0x0606_4B50 else {
                return .unreadable("The directory of the ZIP archive is damaged.")
            }
            (length, offset) = (record.u64(40), record.u64(48))
        }
        guard length <= recordOffset, offset <= recordOffset - length else {
            return .unreadable("The directory of the ZIP archive lies outside the file.")
        }
        guard length <= Self.largest else {
            return .unreadable("The directory of the ZIP archive is too large.")
        }
        let bytes = try read(offset, Int(length))
        guard UInt64(bytes.count) == length else {
            return .unreadable("The directory of the ZIP archive is cut off.")
        }
        return parse(bytes)
    }

    /// Where the end record begins: the last place whose comment reaches exactly to the end of the file, or, with bytes
    /// appended to the archive, the last one that fits.
    private func endRecord(_ tail: [UInt8]) -> Int? {
        guard tail.count >= 22 else { return nil }
        var fallback: Int?
        for start in stride(from: tail.count - 22, through: 0, by: -1) where tail.u32(start) == 0x0605_4B50 {
            let end = start + 22 + Int(tail.u16(start + 20))
            if end == tail.count { return start }
            if end < tail.count, fallback == nil { fallback = start }
        }
        return fallback
    }

    private func parse(_ bytes: [UInt8]) -> Result {
        var entries: [Entry] = []
        var position = 0
        while position + 46 <= bytes.count, bytes.u32(position) == 0x0201_4B50 {
            let nameSize = Int(bytes.u16(position + 28))
            let next =
                position + 46 + nameSize + Int(bytes.u16(position + 30)) + Int(bytes.u16(position + 32))
            guard next <= bytes.count else {
                return .unreadable("The directory of the ZIP archive is damaged.")
            }
            let name = String(decoding: bytes[(position + 46)..<(position + 46 + nameSize)], as: UTF8.self)
            var entry = Entry(
                name: name, offset: UInt64(bytes.u32(position + 42)),
                compressedSize: UInt64(bytes.u32(position + 20)))
            // In a ZIP64 archive these stand elsewhere; what stands there instead must not count as out of bounds.
            if entry.offset == 0xFFFF_FFFF { entry.offset = 0 }
            if entry.compressedSize == 0xFFFF_FFFF { entry.compressedSize = 0 }
            entries.append(entry)
            position = next
        }
        guard position == bytes.count || !entries.isEmpty else {
            return .unreadable("The directory of the ZIP archive is damaged.")
        }
        return .entries(entries)
    }
}

extension [UInt8] {
    /// The little-endian number at `index`; the caller has checked that it lies inside.
    func u16(_ index: Int) -> UInt16 { UInt16(self[index]) | UInt16(self[index + 1]) << 8 }
    /// The little-endian number at `index`; the caller has checked that it lies inside.
    func u32(_ index: Int) -> UInt32 { UInt32(u16(index)) | UInt32(u16(index + 2)) << 16 }
    /// The little-endian number at `index`; the caller has checked that it lies inside.
    func u64(_ index: Int) -> UInt64 { UInt64(u32(index)) | UInt64(u32(index + 4)) << 32 }
}
