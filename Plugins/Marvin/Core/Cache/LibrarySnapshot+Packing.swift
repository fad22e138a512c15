import CBOR
import DeviceDatabases
import OverlayKit

extension LibrarySnapshot {
    /// The snapshot as a CBOR sequence (RFC 8742). Equal snapshots give equal bytes.
    ///
    /// - Parameter parts: the checksums of the parts that contain its books; without any, the books are at the end of
    ///   the document.
    func document(parts: [String] = []) -> [UInt8] {
        var writer = CBORWriter()
        state.pack(into: &writer)
        writer.append(isSettled)
        writer.append(seenAt)
        writer.append(Int64(textBytes))
        writer.append(lacks)
        writer.append(pushed)
        writer.append(parts)
        writer.beginArray(files.count)
        for file in files { file.pack(into: &writer) }
        return parts.isEmpty ? writer.bytes + books.packed(books.indices) : writer.bytes
    }

    /// The snapshot in a document; nil if it is damaged.
    ///
    /// - Parameter part: returns the part with this number and checksum; nil if it is missing.
    init?(document: [UInt8], part: (Int, String) -> [UInt8]? = { _, _ in nil }) {
        var parts: [String] = []
        let found = document.withUnsafeBytes { bytes -> LibrarySnapshot? in
            var reader = CBORReader(bytes)
            let state = LibraryState(reading: &reader)
            let (isSettled, seenAt) = (reader.bool() ?? false, reader.signed() ?? 0)
            var snapshot = LibrarySnapshot(
                state: state, isSettled: isSettled, seenAt: seenAt, textBytes: Int(reader.signed() ?? 0))
            snapshot.lacks = reader.texts()
            snapshot.pushed = reader.text()
            parts = reader.texts()
            snapshot.files = reader.array { FileEntry(reading: &$0) }
            guard !reader.isDamaged, snapshot.books.append(packed: Array(bytes[reader.position...])) else {
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
    fileprivate func pack(into writer: inout CBORWriter) {
        writer.append(UInt64(root))
        writer.append(library)
        writer.beginArray(mark.sizes.count)
        for size in mark.sizes { writer.append(size) }
        writer.beginArray(mark.times.count)
        for time in mark.times { writer.append(time) }
        writer.beginArray(mark.heads.count)
        for head in mark.heads { head.withUnsafeBytes { writer.append(bytes: $0) } }
        documents.pack(into: &writer)
        writer.beginArray(covers.count)
        for folder in covers { folder.pack(into: &writer) }
    }

    fileprivate init(reading reader: inout CBORReader) {
        root = UInt32(truncatingIfNeeded: reader.unsigned() ?? 0)
        library = reader.text() ?? ""
        let sizes = reader.array { $0.unsigned() }
        let times = reader.array { $0.signed() ?? 0 }
        let heads = reader.array { [UInt8]($0.byteString()) }
        mark = DatabaseStamp(sizes: sizes, times: times, heads: heads)
        documents = Folder(reading: &reader)
        covers = reader.array { Folder(reading: &$0) }
    }
}

extension LibraryState.Folder {
    fileprivate func pack(into writer: inout CBORWriter) {
        writer.beginArray(2)
        writer.append(modified)
        writer.append(size)
    }

    fileprivate init(reading reader: inout CBORReader) {
        reader.beginArray(of: 2)
        self.init(modified: reader.signed(), size: reader.unsigned() ?? 0)
    }
}

extension LibrarySnapshot.FileEntry {
    fileprivate func pack(into writer: inout CBORWriter) {
        writer.beginArray(2)
        writer.append(size)
        writer.beginArray(cover == nil ? 0 : 5)
        guard let cover else { return }
        writer.append(cover.mediaType)
        writer.append(cover.size)
        writer.append(cover.readAfter)
        writer.append(cover.isBlob)
        writer.beginArray(cover.stored == nil ? 0 : 4)
        guard let stored = cover.stored else { return }
        for word in [stored.pack, stored.offset, stored.length] { writer.append(word) }
        writer.append(stored.checksum)
    }

    fileprivate init(reading reader: inout CBORReader) {
        reader.beginArray(of: 2)
        size = reader.unsigned()
        guard reader.hasElements(5) else { return }
        var cover = CoverEntry(
            mediaType: reader.text() ?? "", size: reader.unsigned() ?? 0, readAfter: reader.signed() ?? 0)
        cover.isBlob = reader.bool() ?? false
        if reader.hasElements(4) {
            cover.stored = StoredCover(
                pack: reader.unsigned() ?? 0, offset: reader.unsigned() ?? 0, length: reader.unsigned() ?? 0,
                checksum: reader.text() ?? "")
        }
        self.cover = cover
    }
}

extension CBORReader {
    /// Reads the head of an array that is empty or has this number of elements; false if it is empty or damaged.
    fileprivate mutating func hasElements(_ count: Int) -> Bool {
        let found = beginArray()
        if found == count { return true }
        if found != 0 { markDamaged() }
        return false
    }
}
