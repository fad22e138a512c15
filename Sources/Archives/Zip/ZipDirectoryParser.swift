import FoundationEssentials

/// Parses a central directory into records. Refuses inconsistent directories.
struct ZipDirectoryParser {
    /// The result of parsing.
    struct Result {
        /// The files, in order, without folders, refused names and repeated names.
        var records: [ZipRecord] = []
        /// Files whose names are refused.
        var refused: [ZipRecord] = []
        /// Names that had to be rewritten.
        var rewrittenNames: [UInt8] = []
        /// The indices of the records by name.
        var index = ZipNameIndex(count: 0)
        /// The lowest offset of a local header; nil if there are no entries.
        var lowestOffset: Int64?
    }

    /// The size of a record in bytes, without its name, extra fields and comment.
    static let recordSize = 46
    /// The size of a local header in bytes, without its name and extra fields.
    static let localHeaderSize = 30
    private static let signature: UInt32 = 0x0201_4B50

    private let bytes: UnsafeRawBufferPointer
    private let directoryStart: Int64
    private let limits: ZipLimits
    private var result = Result()
    private var nameBytes = 0
    private var spans: [ZipSpan] = []

    private init(_ bytes: UnsafeRawBufferPointer, end: ZipEndRecord, limits: ZipLimits) {
        self.bytes = bytes
        directoryStart = end.directoryStart
        self.limits = limits
        result.records.reserveCapacity(end.count)
        spans.reserveCapacity(end.count)
    }

    /// Parses the records of a directory.
    static func parse(
        _ bytes: UnsafeRawBufferPointer, end: ZipEndRecord, limits: ZipLimits
    ) -> Swift.Result<Result, ArchiveError> {
        guard end.count <= limits.entries else {
            return .failure(
                ArchiveError(.tooLarge, "The archive has \(end.count) entries, more than \(limits.entries)."))
        }
        var parser = ZipDirectoryParser(bytes, end: end, limits: limits)
        do throws(ArchiveError) {
            try parser.readRecords(count: end.count)
            parser.result.lowestOffset = try ZipSpan.lowestOffset(ofApart: &parser.spans)
            parser.enterNames()
            return .success(parser.result)
        } catch {
            return .failure(error)
        }
    }

    private mutating func readRecords(count: Int) throws(ArchiveError) {
        var position = 0
        for _ in 0..<count {
            position = try readRecord(at: position)
        }
        if bytes.uint32(at: position) == Self.signature {
            throw ArchiveError(.malformed, "The central directory has more entries than it declares.")
        }
    }

    /// Parses the record at a position, and returns the position of the next one.
    private mutating func readRecord(at position: Int) throws(ArchiveError) -> Int {
        guard bytes.count - position >= Self.recordSize, bytes.uint32(at: position) == Self.signature else {
            throw ArchiveError(.malformed, "The central directory ends before its last entry.")
        }
        let nameStart = position + Self.recordSize
        let nameLength = Int(bytes.uint16(at: position + 28))
        let extraStart = nameStart + nameLength
        let extraEnd = extraStart + Int(bytes.uint16(at: position + 30))
        let next = extraEnd + Int(bytes.uint16(at: position + 32))
        guard next <= bytes.count else {
            throw ArchiveError(.malformed, "An entry of the central directory is cut short.")
        }
        nameBytes += nameLength
        guard nameBytes <= limits.nameBytes else {
            throw ArchiveError(
                .tooLarge, "The names of the entries are longer than \(limits.nameBytes) bytes.")
        }
        var record = ZipRecord(
            offset: Int64(bytes.uint32(at: position + 42)),
            storedLength: Int64(bytes.uint32(at: position + 20)),
            length: Int64(bytes.uint32(at: position + 24)), nameStart: nameStart, nameLength: nameLength,
            rawNameLength: nameLength, crc32: bytes.uint32(at: position + 16),
            method: bytes.uint16(at: position + 10), flags: bytes.uint16(at: position + 8), isRewritten: false
        )
        let extra = ZipExtraFields(bytes, extraStart..<extraEnd)
        try extra.widen(&record, disk: bytes.uint16(at: position + 34))
        try place(record)
        let host = ZipHost(
            madeBy: bytes.uint16(at: position + 4), attributes: bytes.uint32(at: position + 38))
        name(&record, host: host, extra: extra)
        return next
    }

    /// Checks that the data of a record are before the directory.
    private mutating func place(_ record: ZipRecord) throws(ArchiveError) {
        let room = directoryStart - record.offset - Int64(Self.localHeaderSize)
        guard room >= record.storedLength else {
            throw ArchiveError(
                .malformed, "An entry's data overlaps the central directory or is outside the archive.")
        }
        let end = record.offset + Int64(Self.localHeaderSize) + record.storedLength
        spans.append(ZipSpan(start: record.offset, end: end))
    }

    // MARK: names

    /// Adds a record to the files or to the refused ones. Ignores a folder.
    private mutating func name(_ record: inout ZipRecord, host: ZipHost, extra: ZipExtraFields) {
        let raw = UnsafeRawBufferPointer(
            rebasing: bytes[record.nameStart..<(record.nameStart + record.nameLength)])
        var traits = ZipNameTraits(raw)
        let isUTF8 = traits.isASCII || ZipNameTraits.isUTF8(raw)
        let declaresUTF8 = record.flags & 1 << 11 != 0 && isUTF8
        let unicodePath = declaresUTF8 ? nil : extra.unicodePath(of: raw)
        let hasBackslash = traits.hasBackslash && host.separatesByBackslash
        if unicodePath != nil || !isUTF8 || hasBackslash || traits.beginsWithDotSlash {
            let name = unicodePath ?? (isUTF8 ? Array(raw) : CodePage437.utf8(raw))
            rewrite(&record, as: name, host: host)
            traits = result.rewrittenNames.withUnsafeBytes {
                ZipNameTraits(UnsafeRawBufferPointer(rebasing: $0[record.nameStart...]))
            }
        }
        if traits.isFolder || host.isFolder || record.nameLength == 0 { return }
        if traits.isUnsafe || (traits.hasDrive && host.separatesByBackslash) {
            result.refused.append(record)
        } else {
            result.records.append(record)
        }
    }

    private mutating func rewrite(_ record: inout ZipRecord, as name: [UInt8], host: ZipHost) {
        var name = name[...]
        if host.separatesByBackslash {
            for place in name.indices where name[place] == UInt8(ascii: "\\") {
                name[place] = UInt8(ascii: "/")
            }
        }
        while name.starts(with: [UInt8(ascii: "."), UInt8(ascii: "/")]) { name = name.dropFirst(2) }
        record.nameStart = result.rewrittenNames.count
        record.nameLength = name.count
        record.isRewritten = true
        result.rewrittenNames += name
    }

    /// Creates the index of names. If several records have the same name, the first one stays.
    private mutating func enterNames() {
        let files = result.records
        var index = ZipNameIndex(count: files.count)
        var repeated: Set<Int> = []
        result.rewrittenNames.withUnsafeBytes { rewritten in
            for place in files.indices {
                let name = files[place].name(in: bytes, rewritten: rewritten)
                let isNew = index.enter(name, place: place) {
                    files[$0].name(in: bytes, rewritten: rewritten).elementsEqual(name)
                }
                if !isNew { repeated.insert(place) }
            }
        }
        guard repeated.isEmpty else {
            // Removing a record changes the indices. Without repetitions, the second run is the last.
            result.records = files.indices.filter { !repeated.contains($0) }.map { files[$0] }
            return enterNames()
        }
        result.index = index
    }
}

/// The bytes of an archive that one entry needs at least: its local header and its data.
struct ZipSpan {
    var start: Int64
    var end: Int64

    /// The lowest start of the spans, which must not overlap; nil if there are none.
    ///
    /// An archive in which many entries share the same bytes is a zip bomb.
    static func lowestOffset(ofApart spans: inout [ZipSpan]) throws(ArchiveError) -> Int64? {
        if !isAscending(spans) {
            spans.sort { ($0.start, $0.end) < ($1.start, $1.end) }
            guard isAscending(spans) else {
                throw ArchiveError(.malformed, "The data of two entries overlaps.")
            }
        }
        return spans.first?.start
    }

    private static func isAscending(_ spans: [ZipSpan]) -> Bool {
        var end: Int64 = 0
        for span in spans {
            guard span.start >= end else { return false }
            end = span.end
        }
        return true
    }
}
