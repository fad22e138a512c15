/// What the calibre plugin "iOS reader applications" has noted about one file, in the cache it keeps on the device.
package struct DeviceCacheEntry: Equatable, Sendable {
    /// Path relative to `/Documents`.
    package var path: String
    /// The title, also one that a person has edited.
    package var title: String?
    /// The title as it is sorted.
    package var titleSort: String?
    /// The authors, the first one first; nil where none are noted.
    package var authors: [String]?
    /// The authors as they are sorted.
    package var authorSort: String?
    /// calibre's uuid; nil for a book that came in another way.
    package var uuid: String?
    /// When the book came to the device, in seconds since 1970-01-01 00:00 UTC.
    package var added: Int64?
    /// Bytes of the file when it was noted.
    package var size: UInt64?
    /// A small cover: the bytes of a JPEG or PNG image.
    package var thumbnail: [UInt8]?
}
