/// What a listing found, and what tells whether it is still so.
struct LibrarySnapshot: Sendable {
    /// A book of the library with what was found of its files.
    struct Entry: Equatable, Sendable {
        var book: LibraryBook
        /// Bytes of the book's file; nil: there is none.
        var size: UInt64?
        /// Its small cover; nil: none.
        var cover: CoverEntry?
    }

    /// The library and the folders as they were.
    var state: LibraryState
    /// Whether no change can hide behind the same state: every time in it lay behind the device's clock.
    var isSettled: Bool
    /// When the host saw this state for the first time, in nanoseconds since 1970 by its own clock.
    var seenAt: Int64
    /// The books in the order of the library.
    var entries: [Entry]
    /// Bytes of the books' texts, as a host counts them or more.
    var textBytes: Int
    /// Tables and columns that the database lacks, as the reader of the library names them.
    var lacks: [String] = []
    /// The checksum of the copy that lies on the device, as far as is known; 0: none.
    var pushed: UInt64 = 0
}

/// A small cover.
struct CoverEntry: Equatable, Sendable {
    var mediaType: String
    /// Bytes of the image.
    var size: UInt64
    /// A time that the device's clock had passed when the image was read: a file that changed well before it is as it was read.
    var readAfter: Int64
    /// Whether the image is in the database itself.
    var isBlob = false
    /// Where the image lies in the cache; nil: it was not read.
    var stored: StoredCover?
}

/// Where an image lies in the cache.
struct StoredCover: Equatable, Sendable {
    /// The number of its pack.
    var pack: UInt64
    var offset: UInt64
    var length: UInt64
    var checksum: UInt64
}
