import ArchiveBuilder
import Archives
import FoundationEssentials

extension FuzzTarget {
    /// A ZIP archive: it is opened and listed, and its first entries are read completely and by ranges. Ranges must
    /// be slices of the whole, also with read-ahead and with readers that do not cache.
    static let zip = FuzzTarget(
        name: "zip", longest: 64 << 10,
        run: { data in
            let source = CountingSource(data)
            var limits = ZipLimits()
            limits.wholeEntry = 4 << 20
            guard
                let archive = attempt({ () throws(ArchiveError) in
                    try ZipArchive.open(source: source, limits: limits)
                })
            else { return }
            defer { archive.close() }
            expect(source.bytesRead <= 2 * Int64(data.count) + 128, "opening read \(source.bytesRead) bytes")
            expect(archive.bytesRead == source.bytesRead, "the archive counts other bytes than its source")
            limits.keptEntry = 16
            let frugal = attempt { () throws(ArchiveError) in
                try ZipArchive.open(
                    source: CountingSource(data), readAhead: ReadAhead(), limits: limits)
            }
            expect(frugal?.entries.count == archive.entries.count, "reading ahead lists other entries")
            var paths: Set<[UInt8]> = []
            var budget: Int64 = 8 << 20
            for entry in archive.entries.prefix(64) {
                let path = entry.path
                expect(paths.insert(Array(path.utf8)).inserted, "\(path) is listed twice")
                expect(
                    !path.hasPrefix("/") && !path.split(separator: "/").contains("..")
                        && !path.utf8.contains(0),
                    "\(path) is not a path inside the archive")
                expect(archive.entry(path)?.crc32 == entry.crc32, "\(path) is listed and not found")
                budget -= max(0, entry.length)
                guard budget > 0, let frugal else { break }
                check(entry, archive, frugal)
            }
            for entry in archive.refusedEntries.prefix(16) { _ = entry.path }
        },
        seeds: {
            var stored = ZipBuilder(["mimetype": "application/epub+zip", "a/b.txt": "hello"], method: 0)
            stored.comment = Data("comment".utf8)
            var wide = ZipBuilder(["a": String(repeating: "long ", count: 400), "b": ""])
            wide.isZip64 = true
            for place in wide.entries.indices { wide.entries[place].isZip64 = true }
            var described = ZipBuilder(["d\u{E9}": "data", "D/": "", "../x": "no"])
            for place in described.entries.indices { described.entries[place].hasDescriptor = true }
            described.entries[0].extra = Data([0x75, 0x70, 5, 0, 1, 0, 0, 0, 0])
            return try [ZipBuilder().data(), stored.data(), wide.data(), described.data()]
                + RealBooks.smallArchives()
        })

    private static func check(_ entry: ZipEntry, _ archive: ZipArchive, _ frugal: ZipArchive) {
        let whole = attempt { () throws(ArchiveError) in try archive.read(entry) }
        guard let other = frugal.entry(entry.path) else {
            expect(false, "\(entry.path) is missing from the other archive")
            return
        }
        let again = attempt { () throws(ArchiveError) in try frugal.read(other) }
        expect(again == whole, "\(entry.path) has another content when read ahead")
        guard let whole else {
            // Ranges of damaged entries may be read or refused, but must not crash.
            _ = attempt { () throws(ArchiveError) in try archive.read(entry, range: 0..<100) }
            _ = attempt { () throws(ArchiveError) in try frugal.read(other, range: 5..<50) }
            return
        }
        expect(Int64(whole.count) == entry.length, "\(entry.path) has another length than declared")
        let count = whole.count
        for (start, end) in [
            (count / 3, count / 2), (0, 7), (count - 1, count + 9), (count / 2, count), (3, 3),
        ] {
            let range = Int64(max(0, start))..<Int64(max(0, start, end))
            let slice = Data(whole.dropFirst(Int(range.lowerBound)).prefix(range.count))
            for (archive, entry) in [(archive, entry), (frugal, other)] {
                let part = attempt { () throws(ArchiveError) in try archive.read(entry, range: range) }
                expect(part == slice, "\(entry.path) \(range) is not a slice of the whole")
            }
        }
    }
}
