import FoundationEssentials

extension ZipArchive {
    /// Opens the archive in a file, by four system calls where the directory lies in the last 16 KiB.
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

    /// Opens the archive in a source, which the archive owns from now on and closes also when this fails.
    ///
    /// - Parameter readAhead: how to read a source for which each read is expensive; nil reads just what is needed.
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

    /// Whether a file that begins with these bytes can be an archive: a local header, the end of an empty archive, or the mark of
    /// a spanned one (format reference 8.1).
    public static func isSignature(_ bytes: some Collection<UInt8>) -> Bool {
        let first = Array(bytes.prefix(4))
        return [[0x50, 0x4B, 3, 4], [0x50, 0x4B, 5, 6], [0x50, 0x4B, 7, 8]].contains(first)
    }

    /// Bytes read at first from the end of an archive: enough for the directory of most books.
    private static let firstTail: Int64 = 16 << 10

    private static func opened(_ source: any ByteSource, limits: ZipLimits) throws(ArchiveError) -> ZipArchive
    {
        let count = ReadCount()
        let length: Int64
        do throws(ByteSourceError) {
            length = try source.length
        } catch {
            throw ArchiveError(error)
        }
        var tail = try readTail(source, length: length, atMost: firstTail, count)
        var search = tail.search()
        if case .absent = search, tail.start > 0 {
            tail = try readTail(source, length: length, atMost: Int64(ZipEndRecord.longestTail), count)
            search = tail.search()
        }
        let end = try resolve(search, source, count)
        guard end.directoryLength <= Int64(limits.directoryBytes) else {
            throw ArchiveError(
                .tooLarge, "the central directory is longer than \(limits.directoryBytes) bytes")
        }
        let bytes: Data
        if let known = tail.bytes(at: end.directoryStart, count: Int(end.directoryLength)) {
            bytes = known
        } else {
            bytes = try count.read(source, at: end.directoryStart, count: Int(end.directoryLength))
        }
        let parsed = try bytes.withUnsafeBytes {
            ZipDirectoryParser.parse($0, end: end, limits: limits)
        }.get()
        try checkBeginning(parsed.lowestOffset ?? end.directoryStart, source, count)
        let directory = ZipDirectory(parsed, bytes: bytes, start: end.directoryStart)
        return ZipArchive(ZipContents(source: source, directory: directory, limits: limits, count: count))
    }

    private static func readTail(
        _ source: any ByteSource, length: Int64, atMost: Int64, _ count: ReadCount
    ) throws(ArchiveError) -> ZipTail {
        let start = max(0, length - atMost)
        return ZipTail(
            bytes: try count.read(source, at: start, count: Int(min(length, atMost))), start: start)
    }

    private static func resolve(
        _ search: ZipEndRecord.Search, _ source: any ByteSource, _ count: ReadCount
    ) throws(ArchiveError) -> ZipEndRecord {
        switch search {
        case .found(let end): return end
        case .refused(let error): throw error
        case .absent: throw ArchiveError(.notAnArchive, "there is no end of a central directory")
        case .elsewhere(let offset):
            let bytes = try count.read(source, at: offset, count: ZipEndRecord.zip64Size)
            switch bytes.withUnsafeBytes({ ZipEndRecord.zip64Record($0, offset: offset) }) {
            case .found(let end): return end
            case .refused(let error): throw error
            case .absent, .elsewhere:
                throw ArchiveError(.malformed, "there is no ZIP64 record where one should be")
            }
        }
    }

    /// Refuses data before the archive, which costs no read where an entry begins the file as it should.
    private static func checkBeginning(
        _ lowestOffset: Int64, _ source: any ByteSource, _ count: ReadCount
    ) throws(ArchiveError) {
        guard lowestOffset > 0 else { return }
        guard isSignature(try count.read(source, at: 0, count: 4)) else {
            throw ArchiveError(.notAnArchive, "other data stand before the archive")
        }
    }
}

/// The last bytes of an archive.
private struct ZipTail {
    let bytes: Data
    let start: Int64

    func search() -> ZipEndRecord.Search {
        bytes.withUnsafeBytes { ZipEndRecord.search($0, tailStart: start) }
    }

    /// A part of the tail, nil if it begins before it.
    func bytes(at offset: Int64, count: Int) -> Data? {
        guard offset >= start, offset - start <= Int64(bytes.count - count) else { return nil }
        let first = bytes.startIndex + Int(offset - start)
        return Data(bytes[first..<(first + count)])
    }
}
