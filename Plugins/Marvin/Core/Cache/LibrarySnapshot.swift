import DeviceDatabases
import OverlayKit

/// What a listing found, and what tells whether it still holds.
struct LibrarySnapshot: Sendable {
    /// What was found of the files of a book.
    struct FileEntry: Equatable, Sendable {
        /// Bytes of the book's file; nil: the file is missing.
        var size: UInt64?
        /// Its small cover; nil: it has none.
        var cover: CoverEntry?
    }

    /// The library and the folders as they were.
    var state: LibraryState
    /// Whether every time in `state` was behind the device's clock, so that any later change gives another state.
    var isSettled: Bool
    /// When the host saw this state for the first time, in nanoseconds since 1970 by its own clock.
    var seenAt: Int64
    /// The books in the order of the library.
    var books = LibraryBooks()
    /// What was found of the files of each.
    var files: [FileEntry] = []
    /// Bytes of the books' texts as a host counts them, or more.
    var textBytes: Int
    /// Tables and columns that the database lacks, as the reader of the library names them.
    var lacks: [String] = []
    /// The checksum of the copy on the device; nil: no copy is known.
    var pushed: String?

    /// The snapshot as it is saved: without the time of a settled state, which nothing needs and which differs in each run.
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

    /// Whether all values are ones that a listing can have. Files on the device come from anywhere.
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
    /// Empty: the file is not an image.
    var mediaType: String
    /// Bytes of the image.
    var size: UInt64
    /// A time that the device's clock had passed when the image was read. A file that changed well before it is as it was read.
    var readAfter: Int64
    /// Whether the image is in the database itself.
    var isBlob = false
    /// Where the image is in the cache; nil: it was not read.
    var stored: StoredCover?
}

/// Where an image is in the cache.
struct StoredCover: Equatable, Sendable {
    /// The number of its pack.
    var pack: UInt64
    var offset: UInt64
    var length: UInt64
    var checksum: String
}

/// Everything that a listing depends on and that a few requests can tell.
///
/// A file that is written in place, with no change in its folder or in the library, goes unnoticed. Marvin itself notes in its
/// library when it replaces a book or a cover.
struct LibraryState: Equatable, Sendable {
    /// A folder. Its time changes with each name that comes or goes.
    struct Folder: Equatable, Sendable {
        /// In nanoseconds since 1970; nil: the folder is missing.
        var modified: Int64?
        var size: UInt64 = 0
    }

    /// Which library it is.
    var root: UInt32
    var library: String
    var mark: DatabaseStamp
    var documents: Folder
    /// The folders that covers may be in, in their order.
    var covers: [Folder]

    /// Looks at the library and the folders.
    ///
    /// - Throws: `notFound` when there is no library.
    static func take(_ host: HostServices, _ paths: MarvinPaths) throws(OverlayError) -> LibraryState {
        let (mark, infos) = try DatabaseStamp.take(
            host, paths.root, paths.library, and: [paths.documents] + paths.covers)
        guard mark.sizes[0] != nil else { throw .noLibrary(paths.library) }
        let folders = infos.map { Folder(modified: $0?.modified, size: $0?.size ?? 0) }
        return LibraryState(
            root: paths.root.rawValue, library: paths.library, mark: mark,
            documents: folders.first ?? Folder(), covers: Array(folders.dropFirst()))
    }

    /// Whether it is a state of the library at these places.
    func isOf(_ paths: MarvinPaths) -> Bool { library == paths.library && root == paths.root.rawValue }

    /// The latest time in it.
    var latest: Int64 {
        let folders = ([documents] + covers).compactMap(\.modified)
        return (mark.times + folders).max() ?? 0
    }

    /// Whether no later change can have the same latest time, given a time that the device's clock had reached.
    ///
    /// Older file systems of the device keep whole seconds; two of them allow for a clock that is rounded.
    func isSettled(at deviceTime: Int64) -> Bool {
        let (age, overflow) = deviceTime.subtractingReportingOverflow(latest)
        return !overflow && age >= Self.tick
    }

    /// Nanoseconds within which two changes may have the same time.
    static let tick: Int64 = 2_000_000_000
}

extension OverlayError {
    /// Marvin has not made a library yet.
    static func noLibrary(_ path: String) -> OverlayError {
        OverlayError(
            .notFound, "Marvin has no library on this device.", subject: path,
            hint: "Open Marvin once and let it show its library.")
    }
}
