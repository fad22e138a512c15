/// The annotations of a book: highlights, notes and bookmarks, as far as the device's list shows them.
package enum BackupAnnotations: Hashable, Sendable {
    /// The app has none.
    case absent
    /// The app has some. The text changes with them, and has no hyphen.
    case listed(mark: String)
    /// The app lists none, but the copy of the file may have some. `withWords` is whether the words that highlights
    /// mark can be read.
    case inCopy(withWords: Bool)
    /// They are not known, because they could not be read or are not part of the backup.
    case unread

    /// Whether they are read in the copy of the file.
    package var areInCopy: Bool { if case .inCopy = self { true } else { false } }

    /// The ends of the marks of annotations that were read in the copy, with the marked words and without.
    private static let (readWithWords, readWithoutWords) = ("-words", "-file")

    /// The annotations, or `unread` if they cannot replace those in the backup: these have the marked words, which
    /// cannot be read again.
    ///
    /// - Parameters:
    ///   - former: the last mark of the book; nil if it is new.
    ///   - copies: whether the file is copied again.
    package func replacing(former: String?, copies: Bool) -> BackupAnnotations {
        guard self == .inCopy(withWords: false), !copies, former?.hasSuffix(Self.readWithWords) == true
        else { return self }
        return .unread
    }

    /// Whether annotations in the backup stay as they are, because nothing replaces them.
    ///
    /// - Parameter areGone: whether there were none at the last backup.
    package func keepsSaved(areGone: Bool) -> Bool {
        switch self {
        case .listed: false
        case .inCopy: areGone
        case .absent, .unread: true
        }
    }

    /// A text that changes with the metadata and annotations of a book.
    ///
    /// - Parameters:
    ///   - metadata: a text that changes with the metadata, and has no hyphen.
    ///   - former: the last such text. Annotations that are not known count as unchanged.
    package func mark(_ metadata: String, former: String?) -> String {
        switch self {
        case .absent: metadata
        case .listed(let mark): metadata + "-" + mark
        case .inCopy(let withWords): metadata + (withWords ? Self.readWithWords : Self.readWithoutWords)
        case .unread: metadata + String(former?.drop { $0 != "-" } ?? "")
        }
    }

    /// The mark of a book whose copy was not examined, although it was to be: the next run examines it.
    package static func unexamined(_ mark: String) -> String { String(mark.prefix { $0 != "-" }) }
}
