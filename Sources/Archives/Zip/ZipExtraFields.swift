/// The extra fields of a directory record (ZIP specification 4.5, Info-ZIP's Unicode path).
struct ZipExtraFields {
    private let bytes: UnsafeRawBufferPointer
    private let range: Range<Int>

    /// Creates the fields from a part of the directory.
    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.bytes = bytes
        self.range = range
    }

    /// Takes numbers that do not fit into a record from the ZIP64 field, and checks the disk number.
    func widen(_ record: inout ZipRecord, disk: UInt16) throws(ArchiveError) {
        let isWide =
            record.length == 0xFFFF_FFFF || record.storedLength == 0xFFFF_FFFF || record.offset == 0xFFFF_FFFF
            || disk == 0xFFFF
        guard isWide else {
            if disk != 0 { throw Self.severalDisks }
            return
        }
        guard let field = field(0x0001) else { throw Self.missingNumbers }
        var position = field.lowerBound
        func next(_ number: inout Int64) throws(ArchiveError) {
            guard number == 0xFFFF_FFFF else { return }
            guard position + 8 <= field.upperBound, let wide = Int64(exactly: bytes.uint64(at: position))
            else {
                throw Self.missingNumbers
            }
            number = wide
            position += 8
        }
        try next(&record.length)
        try next(&record.storedLength)
        try next(&record.offset)
        let isFirstDisk =
            disk == 0xFFFF ? position + 4 <= field.upperBound && bytes.uint32(at: position) == 0 : disk == 0
        if !isFirstDisk { throw Self.severalDisks }
    }

    /// The name in the Unicode path field, if it matches this raw name and is valid UTF-8.
    func unicodePath(of raw: UnsafeRawBufferPointer) -> [UInt8]? {
        guard !range.isEmpty, let field = field(0x7075), field.count >= 5, bytes[field.lowerBound] == 1,
            bytes.uint32(at: field.lowerBound + 1) == Checksum.crc32(raw)
        else { return nil }
        let name = UnsafeRawBufferPointer(rebasing: bytes[(field.lowerBound + 5)..<field.upperBound])
        return ZipNameTraits.isUTF8(name) ? Array(name) : nil
    }

    /// The content of the first field with this number. Fields after a damaged one are ignored.
    private func field(_ wanted: UInt16) -> Range<Int>? {
        var position = range.lowerBound
        while position + 4 <= range.upperBound {
            let start = position + 4
            let end = start + Int(bytes.uint16(at: position + 2))
            guard end <= range.upperBound else { return nil }
            if bytes.uint16(at: position) == wanted { return start..<end }
            position = end
        }
        return nil
    }

    private static var severalDisks: ArchiveError {
        ArchiveError(.unsupported, "The archive is spread over several disks.")
    }

    private static var missingNumbers: ArchiveError {
        ArchiveError(.malformed, "An entry's length or place is missing.")
    }
}
