import FoundationEssentials

extension ZipArchive {
    /// Opens the archive in a file. Needs at most five system calls if no data precede the archive and its comment is
    /// short.
    public static func open(path: String, limits: ZipLimits = ZipLimits()) throws(ArchiveError) -> ZipArchive
    {
        let file: FileByteSource
        do throws(ByteSourceError) {
            file = try FileByteSource(path: path)
        } catch {
            throw ArchiveError(error)
        }
        return try open(source: file, limits: limits)
    }

    /// Opens the archive in a source. The archive owns the source, which is also closed if this fails.
    ///
    /// - Parameter readAhead: settings for a source in which each read is expensive; nil reads only what is needed.
    public static func open(
        source: any ByteSource, readAhead: ReadAhead? = nil, limits: ZipLimits = ZipLimits()
    ) throws(ArchiveError) -> ZipArchive {
        let source = readAhead.map { ReadAheadByteSource(source, $0) as any ByteSource } ?? source
        do throws(ArchiveError) {
            return try opened(source, limits: limits)
        } catch {
            source.close()
            throw error
        }
    }

    /// Whether a file that begins with these bytes can be an archive. They must be a local header, the end of an
    /// empty archive, or the marker of a spanned archive.
    public static func isSignature(_ bytes: some Collection<UInt8>) -> Bool {
        let first = bytes.prefix(4)
        let number = first.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return first.count == 4 && [0x504B_0304, 0x504B_0506, 0x504B_0708].contains(number)
    }

    /// The size of the first read from the end of an archive, in bytes. For a remote source, it covers the directory
    /// of most books. For a near source, it covers the end record, which states where the directory begins.
    private static func firstTail(isNear: Bool) -> Int64 { isNear ? 1 << 10 : 16 << 10 }

    private static func opened(_ source: any ByteSource, limits: ZipLimits) throws(ArchiveError) -> ZipArchive
    {
        let count = ReadCount()
        let length: Int64
        do throws(ByteSourceError) {
            length = try source.length
        } catch {
            throw ArchiveError(error)
        }
        var tail = try ZipTail(of: source, length: length, atMost: firstTail(isNear: source.isNear), count)
        var search = tail.search()
        if case .absent = search, tail.start > 0 {
            try tail.grow(to: Int64(ZipEndRecord.longestTail), source, length: length, count)
            search = tail.search()
        }
        let end = try resolve(search, tail, source, count)
        guard end.directoryLength <= Int64(limits.directoryBytes) else {
            throw ArchiveError(
                .tooLarge, "The central directory is longer than \(limits.directoryBytes) bytes.")
        }
        let bytes = try tail.bytes(
            at: end.directoryStart, count: Int(end.directoryLength), orFrom: source, count)
        let parsed = try bytes.withUnsafeBytes {
            ZipDirectoryParser.parse($0, end: end, limits: limits)
        }.get()
        try checkBeginning(parsed.lowestOffset ?? end.directoryStart, source, count)
        let directory = ZipDirectory(parsed, bytes: bytes, start: end.directoryStart)
        return ZipArchive(ZipContents(source: source, directory: directory, limits: limits, count: count))
    }

    /// The error for a file without an end record: an archive whose end is missing, or no archive at all.
    private static func noDirectory(
        _ tail: ZipTail, _ source: any ByteSource, _ count: ReadCount
    ) throws(ArchiveError) -> ArchiveError {
        guard isSignature(try tail.bytes(at: 0, count: 4, orFrom: source, count)) else {
            return ArchiveError(.notAnArchive, "The end of the central directory is missing.")
        }
        return ArchiveError(
            .malformed, "The archive is truncated or damaged: the directory at its end is missing.",
            hint: "Get a new copy of the file.")
    }

    private static func resolve(
        _ search: ZipEndRecord.Search, _ tail: ZipTail, _ source: any ByteSource, _ count: ReadCount
    ) throws(ArchiveError) -> ZipEndRecord {
        switch search {
        case .found(let end): return end
        case .refused(let error): throw error
        case .absent: throw try noDirectory(tail, source, count)
        case .elsewhere(let offset):
            let bytes = try count.read(source, at: offset, count: ZipEndRecord.zip64Size)
            switch bytes.withUnsafeBytes({ ZipEndRecord.zip64Record($0, offset: offset) }) {
            case .found(let end): return end
            case .refused(let error): throw error
            case .absent, .elsewhere:
                throw ArchiveError(.malformed, "The ZIP64 record is missing.")
            }
        }
    }

    /// Refuses data before the archive. Needs no read if an entry begins at the start of the file, as it should.
    private static func checkBeginning(
        _ lowestOffset: Int64, _ source: any ByteSource, _ count: ReadCount
    ) throws(ArchiveError) {
        guard lowestOffset > 0 else { return }
        guard isSignature(try count.read(source, at: 0, count: 4)) else {
            throw ArchiveError(.notAnArchive, "There is other data before the archive.")
        }
    }
}

/// The last bytes of an archive.
private struct ZipTail {
    private(set) var bytes: Data
    private(set) var start: Int64

    init(
        of source: any ByteSource, length: Int64, atMost: Int64, _ count: ReadCount
    ) throws(ArchiveError) {
        start = max(0, length - atMost)
        bytes = try count.read(source, at: start, count: Int(min(length, atMost)))
    }

    /// Adds the bytes before the tail, up to `atMost` bytes in total. No byte is read twice.
    mutating func grow(
        to atMost: Int64, _ source: any ByteSource, length: Int64, _ count: ReadCount
    ) throws(ArchiveError) {
        let earlier = max(0, length - atMost)
        let wanted = Int(start - earlier)
        let before = try count.read(source, at: earlier, count: wanted)
        // A source that ends early cannot supply these bytes, so the tail is kept.
        bytes = before.count == wanted ? before + bytes : before
        start = earlier
    }

    func search() -> ZipEndRecord.Search {
        bytes.withUnsafeBytes { ZipEndRecord.search($0, tailStart: start) }
    }

    /// Reads bytes of the archive. Only those before the tail are read from the source.
    func bytes(
        at offset: Int64, count wanted: Int, orFrom source: any ByteSource, _ count: ReadCount
    ) throws(ArchiveError) -> Data {
        if let known = bytes(at: offset, count: wanted) { return known }
        let before = Int(min(Int64(wanted), start - offset))
        let read = try count.read(source, at: offset, count: before)
        guard read.count == before else { return read }
        return read + bytes.prefix(wanted - before)
    }

    /// A part of the tail; nil if it begins before the tail.
    func bytes(at offset: Int64, count: Int) -> Data? {
        guard offset >= start, offset - start <= Int64(bytes.count - count) else { return nil }
        let first = bytes.startIndex + Int(offset - start)
        return Data(bytes[first..<(first + count)])
    }
}
