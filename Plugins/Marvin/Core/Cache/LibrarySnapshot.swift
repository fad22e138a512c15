import CBOR
import DeviceDatabases
import OverlayKit

/// The findings of a listing, and the state that shows whether they still hold.
struct LibrarySnapshot: Sendable {
    /// The findings about the files of a book.
    struct FileEntry: Equatable, Sendable {
        /// The size of the book's file in bytes; nil if the file is missing.
        var size: UInt64?
        /// Its small cover; nil if it has none.
        var cover: CoverEntry?
    }

    /// The state of the library and the folders.
    var state: LibraryState
    /// Whether every time in `state` is before the device's clock, so that any later change gives another state.
    var isSettled: Bool
    /// When the host first saw this state, in nanoseconds since 1970 by its own clock.
    var seenAt: Int64
    /// The books in the order of the library.
    var books = LibraryBooks()
    /// The findings about the files of each book.
    var files: [FileEntry] = []
    /// The size of the books' texts as the host counts it, or more.
    var textBytes: Int
    /// Missing tables and columns of the database, named as by the library reader.
    var lacks: [String] = []
    /// The checksum of the copy on the device; nil if no copy is known.
    var pushed: String?

    /// The snapshot as it is saved: without the time of a settled state, which is not needed and differs in each run.
    var saved: LibrarySnapshot {
        var copy = self
        if isSettled { copy.seenAt = 0 }
        return copy
    }

    /// The snapshot for another computer, which does not have the images.
    var withoutImages: LibrarySnapshot {
        var copy = saved
        copy.pushed = nil
        for index in copy.files.indices { copy.files[index].cover?.stored = nil }
        return copy
    }

    /// Whether all values are possible results of a listing. Files on the device can come from anywhere.
    var isSound: Bool {
        let mark = state.mark
        return [mark.sizes.count, mark.times.count, mark.heads.count] == [3, 3, 3] && textBytes >= 0
            && books.count == files.count
            && books.allSatisfy { book in
                isSafeName(book.fileName) && book.hash.map(isSafeName) ?? true && book.coverBlobSize >= 0
            }
    }
}

/// A small cover.
struct CoverEntry: Equatable, Sendable {
    /// Empty if the file is not an image.
    var mediaType: String
    /// The size of the image in bytes.
    var size: UInt64
    /// A time that the device's clock had passed when the image was read. If the file last changed well before it, it
    /// is unchanged.
    var readAfter: Int64
    /// Whether the image is in the database itself.
    var isBlob = false
    /// The place of the image in the cache; nil if it was not read.
    var stored: StoredCover?
}

/// The place of an image in the cache.
struct StoredCover: Equatable, Sendable {
    /// The number of its pack.
    var pack: UInt64
    var offset: UInt64
    var length: UInt64
    var checksum: String
}

/// Everything on which a listing depends and that takes few requests to check.
///
/// A file that is overwritten without a change in its folder or the library goes unnoticed. Marvin itself records in
/// its library when it replaces a book or a cover.
struct LibraryState: Equatable, Sendable {
    /// A folder. Its time changes when a name is added or removed.
    struct Folder: Equatable, Sendable {
        /// In nanoseconds since 1970; nil if the folder is missing.
        var modified: Int64?
        var size: UInt64 = 0
    }

    /// The root that contains the library.
    var root: UInt32
    var library: String
    var mark: DatabaseStamp
    var documents: Folder
    /// The folders that may contain covers, in order.
    var covers: [Folder]

    /// Reads the state of the library and the folders.
    ///
    /// - Throws: `notFound` if there is no library.
    static func take(_ host: HostServices, _ paths: MarvinPaths) throws(OverlayError) -> LibraryState {
        let (mark, infos) = try DatabaseStamp.take(
            host, paths.root, paths.library, and: [paths.documents] + paths.covers)
        guard mark.sizes[0] != nil else { throw .noLibrary(paths.library) }
        let folders = infos.map { Folder(modified: $0?.modified, size: $0?.size ?? 0) }
        return LibraryState(
            root: paths.root.rawValue, library: paths.library, mark: mark,
            documents: folders.first ?? Folder(), covers: Array(folders.dropFirst()))
    }

    /// Whether this is a state of the library at these paths.
    func isOf(_ paths: MarvinPaths) -> Bool { library == paths.library && root == paths.root.rawValue }

    /// The latest time in it.
    var latest: Int64 {
        let folders = ([documents] + covers).compactMap(\.modified)
        return (mark.times + folders).max() ?? 0
    }

    /// Whether any later change must have a later time than `latest`, given a time that the device's clock had reached.
    ///
    /// The device's older file systems store whole seconds; two seconds allow for rounding.
    func isSettled(at deviceTime: Int64) -> Bool {
        let (age, overflow) = deviceTime.subtractingReportingOverflow(latest)
        return !overflow && age >= Self.tick
    }

    /// The nanoseconds within which two changes may have the same time.
    static let tick: Int64 = 2_000_000_000
}

extension OverlayError {
    /// The error if Marvin has not created a library yet.
    static func noLibrary(_ path: String) -> OverlayError {
        OverlayError(
            .notFound, "Marvin has no library on this device.", subject: path,
            hint: "Open Marvin once and let it show its library.")
    }
}

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
