/// The annotations of a book: highlights, notes and bookmarks, as far as the device's list shows them.
package enum BackupAnnotations: Hashable, Sendable {
    /// The app has none.
    case absent
    /// The app has some. The text changes with them, and has no hyphen.
    case listed(mark: String)
    /// They are not known, because they could not be read or are not part of the backup.
    case unread

    /// Whether annotations in the backup stay as they are, because the device has nothing to replace them.
    package var keepsSaved: Bool { if case .listed = self { false } else { true } }

    /// A text that changes with the metadata and annotations of a book.
    ///
    /// - Parameters:
    ///   - metadata: a text that changes with the metadata, and has no hyphen.
    ///   - former: the last such text. Annotations that are not known count as unchanged.
    package func mark(_ metadata: String, former: String?) -> String {
        switch self {
        case .absent: metadata
        case .listed(let mark): metadata + "-" + mark
        case .unread: metadata + String(former?.drop { $0 != "-" } ?? "")
        }
    }
}
