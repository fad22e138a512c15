import BookModel

extension SyncPolicy {
    /// The metadata changes that give the app's copy the values of the source, as far as the app supports this.
    ///
    /// - Parameters:
    ///   - now: the copy as the device lists it.
    ///   - book: the book in the source.
    ///   - record: the record of the last sync. A value that is missing in the source is cleared only if the source
    ///     had it before. A title is never cleared.
    /// - Returns: nil if there is nothing to change.
    package func changes(to now: Book, for book: Book, since record: SyncRecord?) -> Book? {
        var changes = Book()
        for field in MetadataDigest.fields {
            guard let word = field.settableWord, settable.contains(word) else { continue }
            let (own, other) = (
                MetadataDigest.text(of: field, in: book), MetadataDigest.text(of: field, in: now)
            )
            guard own != other else { continue }
            if own != nil {
                field.copy(from: book, to: &changes)
            } else if word != "title", record?.metadata?.contains(field) == true {
                // A book always has a title.
                field.clear(&changes)
            }
        }
        return changes.settableWords.isEmpty ? nil : changes
    }

    /// Whether a copy differs from the source in metadata that the app only takes from the file.
    package func needsFile(for book: Book, at now: Book) -> Bool {
        MetadataDigest.fields.contains { field in
            guard let own = MetadataDigest.text(of: field, in: book) else { return false }
            return own != MetadataDigest.text(of: field, in: now)
                && field.settableWord.map { !settable.contains($0) } ?? true
        }
    }
}

extension BookField {
    /// Sets the value to a known empty value. Among numbers, only a rating has one: 0.
    fileprivate func clear(_ book: inout Book) {
        switch value {
        case .text(let path): book[keyPath: path] = ""
        case .texts(let path): book[keyPath: path] = []
        case .number(let path) where settableWord == "rating": book[keyPath: path] = 0
        default: break
        }
    }
}
