import OverlayKit

extension ShelfLook {
    /// Lets what is noted of books follow files into which their app has written since, such as a highlight into a PDF.
    ///
    /// A file that has the path of a noted one and says the same of itself is taken for a later state of it, unless the noted
    /// content is still there under another path: then that one was moved, and something else took its place. As long as
    /// that cannot be told, or the notes cannot be kept, the cache keeps the former state, so that the next look tries again.
    func carryNotes() throws(OverlayError) {
        var carried: [ShelfPath] = []
        for file in contents.files {
            guard let former = cache.former(of: file), let old = former.fingerprint, notes.shown(old) != nil,
                case .book(let before) = former.finding
            else { continue }
            guard let new = try content(of: file), let after = try ownMetadata(of: file) else {
                cache.hold(file.path)
                continue
            }
            guard new != old, Self.saying(before, file) == Self.saying(after, file),
                try !isElsewhere(old, size: former.size, than: file)
            else { continue }
            notes.carry(from: old, to: new)
            carried.append(file.path)
        }
        guard !carried.isEmpty else { return }
        do throws(OverlayError) {
            try notes.save()
        } catch {
            for path in carried { cache.hold(path) }
            shelf.host.log.warning(
                "books", "Titles and authors you entered cannot follow their files now: \(error.message)")
        }
    }

    /// The content of a file, which is not remembered; nil if it cannot be read.
    private func content(of file: FoundFile) throws(OverlayError) -> ContentFingerprint? {
        try value(of: FingerprintReader(shelf.host, shelf.place).read([file]).first)
    }

    /// Whether a content lies at another path than a file's.
    private func isElsewhere(
        _ content: ContentFingerprint, size: UInt64, than file: FoundFile
    ) throws(OverlayError) -> Bool {
        for other in contents.files where other.size == size && other.path != file.path {
            if let known = cache.entry(of: other)?.fingerprint {
                if known == content { return true }
            } else if try self.content(of: other) == content {
                return true
            }
        }
        return false
    }

    private func ownMetadata(of file: FoundFile) throws(OverlayError) -> Book? {
        let result =
            file.isPackage
            ? try PackageReader(shelf.host, shelf.place).metadata(of: file, covers: false)
            : try shelf.host.metadata.read([.device(shelf.place.root, shelf.place.path(file.path))]).first
        return try value(of: result)?.book
    }

    /// What a result holds; nil if the file is to blame for a failure.
    private func value<Value>(of result: Result<Value, OverlayError>?) throws(OverlayError) -> Value? {
        switch result {
        case .success(let value)?: return value
        case .failure(let error)? where error.endsTheCall: throw error
        default: return nil
        }
    }

    /// Title and authors as a file tells them; its name is no title.
    private static func saying(_ book: Book, _ file: FoundFile) -> [String?] {
        let title = book.title.flatMap { $0.isEmpty || $0.utf8.elementsEqual(file.path.stem.utf8) ? nil : $0 }
        return [title] + (book.authors ?? [])
    }
}
