import BookModel

extension SyncPolicy {
    /// What the app can be asked to change so that its copy of a book says what the source says.
    ///
    /// - Parameters:
    ///   - now: the copy as the device describes it.
    ///   - book: what the source says.
    ///   - record: what was agreed before: only a value that the source had is cleared when the source has none.
    /// - Returns: nil if that is nothing.
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
            } else if record?.metadata?.contains(field) == true {
                field.clear(&changes)
            }
        }
        return changes.settableWords.isEmpty ? nil : changes
    }

    /// Whether a copy lacks something of what the source says that the app gets only with the file.
    package func needsFile(for book: Book, at now: Book) -> Bool {
        MetadataDigest.fields.contains { field in
            guard let own = MetadataDigest.text(of: field, in: book) else { return false }
            return own != MetadataDigest.text(of: field, in: now)
                && field.settableWord.map { !settable.contains($0) } ?? true
        }
    }
}

extension BookField {
    /// Makes the value known to be empty; of the numbers only a rating has such a value, 0.
    fileprivate func clear(_ book: inout Book) {
        switch value {
        case .text(let path): book[keyPath: path] = ""
        case .texts(let path): book[keyPath: path] = []
        case .number(let path) where settableWord == "rating": book[keyPath: path] = 0
        default: break
        }
    }
}
