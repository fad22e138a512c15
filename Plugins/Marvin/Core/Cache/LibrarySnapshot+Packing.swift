import DeviceDatabases
import OverlayKit

extension LibrarySnapshot {
    /// The snapshot as a document. Equal snapshots give equal bytes.
    ///
    /// - Parameter parts: the checksums of the parts that contain its books; without any, the books are at the end of
    ///   the document.
    func document(parts: [String] = []) -> [UInt8] {
        var writer = PackedWriter()
        state.pack(into: &writer)
        writer.append(isSettled ? 1 : 0)
        writer.append(word: UInt64(bitPattern: seenAt))
        writer.append(word: UInt64(bitPattern: Int64(textBytes)))
        writer.append(lacks)
        writer.append(pushed)
        writer.append(parts)
        writer.append(count: files.count)
        for file in files { file.pack(into: &writer) }
        if parts.isEmpty { books.packed(books.indices).withUnsafeBytes { writer.append(raw: $0) } }
        return writer.bytes
    }

    /// The snapshot in a document; nil if it is damaged.
    ///
    /// - Parameter part: returns the part with this number and checksum; nil if it is missing.
    init?(document: [UInt8], part: (Int, String) -> [UInt8]? = { _, _ in nil }) {
        var parts: [String] = []
        let found = document.withUnsafeBytes { bytes -> LibrarySnapshot? in
            var reader = PackedReader(bytes)
            let state = LibraryState(reading: &reader)
            let (isSettled, seenAt) = (reader.byte() == 1, Int64(bitPattern: reader.word()))
            var snapshot = LibrarySnapshot(
                state: state, isSettled: isSettled, seenAt: seenAt,
                textBytes: Int(Int64(bitPattern: reader.word())))
            snapshot.lacks = reader.texts()
            snapshot.pushed = reader.text()
            parts = reader.texts()
            let count = reader.count()
            while snapshot.files.count < count, !reader.isDamaged {
                snapshot.files.append(FileEntry(reading: &reader))
            }
            guard !reader.isDamaged, snapshot.books.append(packed: Array(reader.raw(reader.left))) else {
                return nil
            }
            return snapshot
        }
        guard var found else { return nil }
        for (number, checksum) in parts.enumerated() {
            guard let block = part(number, checksum), found.books.append(packed: block) else { return nil }
        }
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
        /// Reads as many values as the next count says, which may be wrong.
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
        mark = DatabaseStamp(sizes: sizes, times: times, heads: heads)
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
