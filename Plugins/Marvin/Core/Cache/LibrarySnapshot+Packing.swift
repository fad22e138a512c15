import DeviceDatabases
import OverlayKit

extension LibrarySnapshot {
    /// The snapshot as a document. Equal snapshots give equal bytes.
    var document: [UInt8] {
        var writer = PackedWriter()
        state.pack(into: &writer)
        writer.append(isSettled ? 1 : 0)
        writer.append(word: UInt64(bitPattern: seenAt))
        writer.append(word: UInt64(bitPattern: Int64(textBytes)))
        writer.append(lacks)
        writer.append(pushed)
        books.pack(into: &writer)
        for file in files { file.pack(into: &writer) }
        return writer.bytes
    }

    /// The snapshot in a document; nil if it is none. Its books stay in these bytes.
    init?(document: [UInt8]) {
        var ranges: [Range<Int>] = []
        let found = document.withUnsafeBytes { bytes -> LibrarySnapshot? in
            var reader = PackedReader(bytes)
            let state = LibraryState(reading: &reader)
            let (isSettled, seenAt) = (reader.byte() == 1, Int64(bitPattern: reader.word()))
            var snapshot = LibrarySnapshot(
                state: state, isSettled: isSettled, seenAt: seenAt,
                textBytes: Int(Int64(bitPattern: reader.word())))
            snapshot.lacks = reader.texts()
            snapshot.pushed = reader.text()
            let count = reader.count()
            while ranges.count < count, !reader.isDamaged {
                let size = reader.count()
                let start = reader.position
                _ = reader.raw(size)
                ranges.append(start..<reader.position)
            }
            while snapshot.files.count < count, !reader.isDamaged {
                snapshot.files.append(FileEntry(reading: &reader))
            }
            return reader.isDamaged || reader.left > 0 ? nil : snapshot
        }
        guard var found, let runs = ByteRuns(of: document, at: ranges) else { return nil }
        found.books = LibraryBooks(runs)
        self = found
    }
}

extension LibraryState {
    fileprivate func pack(into writer: inout PackedWriter) {
        writer.append(word: UInt64(root))
        writer.append(library)
        writer.append(count: mark.sizes.count)
        for size in mark.sizes { writer.append(optional: size) }
        writer.append(count: mark.times.count)
        for time in mark.times { writer.append(word: UInt64(bitPattern: time)) }
        writer.append(count: mark.heads.count)
        for head in mark.heads {
            writer.append(count: head.count)
            head.withUnsafeBytes { writer.append(raw: $0) }
        }
        writer.append(count: covers.count)
        for folder in [documents] + covers {
            writer.append(optional: folder.modified.map { UInt64(bitPattern: $0) })
            writer.append(word: folder.size)
        }
    }

    fileprivate init(reading reader: inout PackedReader) {
        /// As many values as the next count says, which may be a lie.
        func list<Value>(_ value: (inout PackedReader) -> Value) -> [Value] {
            let count = reader.count()
            var values: [Value] = []
            while values.count < count, !reader.isDamaged { values.append(value(&reader)) }
            return values
        }
        func folder(_ reader: inout PackedReader) -> Folder {
            Folder(modified: reader.optionalWord().map { Int64(bitPattern: $0) }, size: reader.word())
        }
        root = UInt32(truncatingIfNeeded: reader.word())
        library = reader.text() ?? ""
        let sizes = list { $0.optionalWord() }
        let times = list { Int64(bitPattern: $0.word()) }
        let heads = list { reader in [UInt8](reader.raw(reader.count())) }
        mark = DatabaseMark(sizes: sizes, times: times, heads: heads)
        let count = reader.count()
        documents = folder(&reader)
        covers = []
        while covers.count < count, !reader.isDamaged { covers.append(folder(&reader)) }
    }
}

extension LibrarySnapshot.FileEntry {
    fileprivate func pack(into writer: inout PackedWriter) {
        writer.append(optional: size)
        writer.append(cover?.mediaType)
        guard let cover else { return }
        writer.append(word: cover.size)
        writer.append(word: UInt64(bitPattern: cover.readAfter))
        writer.append(cover.isBlob ? 1 : 0)
        writer.append(cover.stored?.checksum)
        guard let stored = cover.stored else { return }
        for word in [stored.pack, stored.offset, stored.length] { writer.append(word: word) }
    }

    fileprivate init(reading reader: inout PackedReader) {
        size = reader.optionalWord()
        guard let mediaType = reader.text() else { return }
        var cover = CoverEntry(
            mediaType: mediaType, size: reader.word(), readAfter: Int64(bitPattern: reader.word()))
        cover.isBlob = reader.byte() == 1
        if let checksum = reader.text() {
            cover.stored = StoredCover(
                pack: reader.word(), offset: reader.word(), length: reader.word(), checksum: checksum)
        }
        self.cover = cover
    }
}
