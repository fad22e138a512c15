/// The annotations of a book: highlights, notes and bookmarks, as far as the device's list shows them.
package enum BackupAnnotations: Hashable, Sendable {
    /// The app has none.
    case absent
    /// The app has some. The text changes with them, and is hexadecimal.
    case listed(mark: String)
    /// The app lists none, but the copy of the file may have some. `canReadWords` is whether the words that
    /// highlights mark can be read.
    case inCopy(canReadWords: Bool)
    /// They are not known, because they could not be read or are not part of the backup.
    case unread

    /// Where a step takes the annotations of a book from.
    package enum Source: Sendable {
        /// From the app, which may have none.
        case app
        /// From the copy, which is read.
        case copy
        /// From the backup, because its copy has been read.
        case backup
        /// They are not known.
        case unknown
    }

    /// The annotations that a backup will have, before its step is carried out.
    ///
    /// - Parameters:
    ///   - former: what the backup has now.
    ///   - copies: whether the file is copied again.
    func expected(after former: SavedAnnotations, copies: Bool) -> SavedAnnotations {
        switch self {
        case .absent: .unexamined
        case .listed(let mark): .listed(mark: mark)
        case .inCopy(let canReadWords):
            switch former {
            case .unexamined, .listed: .copied(hasWords: true)
            case .copied(let hasWords): .copied(hasWords: hasWords || canReadWords || copies)
            case .noneInCopy: copies ? .copied(hasWords: true) : .noneInCopy
            }
        // The next run that can read them examines the new copy.
        case .unread: copies && former.areOfCopy ? .unexamined : former
        }
    }

    /// Whether annotations in the backup stay as they are, because nothing replaces them.
    func keep(_ saved: SavedAnnotations) -> Bool {
        switch self {
        case .listed: false
        case .inCopy: saved == .noneInCopy
        case .absent, .unread: true
        }
    }
}

/// What a backup has of the annotations of a book. Stored at the end of the entry's mark.
package enum SavedAnnotations: Hashable, Sendable {
    /// None, or those that are kept because the app has none any more. The copy of the file was not examined.
    case unexamined
    /// Those that the app listed. The text is hexadecimal.
    case listed(mark: String)
    /// Those in the copy of the file. `hasWords` is whether the words that highlights mark were read, as far as they
    /// can be.
    case copied(hasWords: Bool)
    /// None that are in the copy of the file, or that can be read in it.
    case noneInCopy

    /// Reads the end of a mark; nil for a book without a mark.
    package init(_ mark: String?) {
        let end = mark?.split(separator: "-", maxSplits: 1).dropFirst().first
        switch end {
        case nil: self = .unexamined
        case "words": self = .copied(hasWords: true)
        case "file": self = .copied(hasWords: false)
        case "none": self = .noneInCopy
        case .some(let mark): self = .listed(mark: String(mark))
        }
    }

    /// Whether these are, or could be, annotations in the copy of the file.
    package var areOfCopy: Bool {
        switch self {
        case .copied, .noneInCopy: true
        case .unexamined, .listed: false
        }
    }

    /// Whether these may replace the former ones, because they are from the same place and have as many words.
    package func mayReplace(_ former: SavedAnnotations) -> Bool {
        switch (self, former) {
        case (.listed, .listed), (.copied, .copied(hasWords: false)): true
        case (.copied(let hasWords), .copied): hasWords
        default: false
        }
    }

    /// A text that changes with the metadata and annotations of a book.
    ///
    /// - Parameter metadata: such a text of the metadata alone; a former mark as well.
    package func mark(_ metadata: String) -> String {
        let metadata = String(metadata.prefix { $0 != "-" })
        return switch self {
        case .unexamined: metadata
        case .listed(let mark): metadata + "-" + mark
        case .copied(let hasWords): metadata + (hasWords ? "-words" : "-file")
        case .noneInCopy: metadata + "-none"
        }
    }
}
