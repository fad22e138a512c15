import OverlayKit

extension ShelfScan {
    /// Carries notes over to files that their app has changed, for example by adding a highlight to a PDF.
    ///
    /// A file with the path, title and authors of a noted file counts as its later state. This does not apply if the
    /// noted content still exists under another path, because then that file was moved and another file took its
    /// place. For a file without a title, the creation time must be the same, or the file must only have grown at its
    /// end. If this cannot be determined, or the notes cannot be stored, the cache keeps the earlier state, so that
    /// the next listing tries again.
    ///
    /// If another file has the path of a file that was sent, and its metadata does not contradict it, only the change
    /// is recorded: the app may have rewritten the file, and the user's marks in it must not be lost.
    func carryNotes() throws(OverlayError) {
        let files = contents.files
        var changed: [ChangedFile] = []
        for file in files {
            guard let former = cache.former(of: file), let old = former.fingerprint, notes.shown(old) != nil
            else { continue }
            switch former.readState {
            case .book(let kept):
                changed.append(
                    ChangedFile(
                        file: file, former: former, old: old, book: kept.book,
                        isOwnWord: !former.isFromElsewhere))
            case .unread:
                // The file was sent by this host and has not been read since.
                guard let book = notes.sent(old) else { continue }
                changed.append(
                    ChangedFile(file: file, former: former, old: old, book: book, isOwnWord: false))
            default: continue
            }
        }
        guard !changed.isEmpty else { return }
        let later = try laterStates(of: changed)
        let places = try places(of: later, in: files)
        var carried: [ShelfPath] = []
        for one in later {
            guard let new = one.new, !(places[one.old] ?? []).contains(where: { $0 != one.file.path }) else {
                continue
            }
            if one.isSameBook {
                notes.carry(from: one.old, to: new)
            } else {
                notes.noteLaterState(of: one.old, new)
            }
            carried.append(one.file.path)
        }
        guard !carried.isEmpty else { return }
        do throws(OverlayError) {
            try notes.save()
        } catch {
            for path in carried { cache.hold(path) }
            shelf.host.log.warning(
                "books", "Cannot match the titles and authors you entered to moved files: \(error.message)")
        }
    }

    /// A file with new content, and a note about its earlier content.
    private struct ChangedFile {
        var file: FoundFile
        var former: CachedFile
        var old: ContentFingerprint
        /// What was known about it, without the user's values.
        var book: Book
        /// Whether this came from the file itself.
        var isOwnWord: Bool
        /// Whether it is certain that the file is still the same book.
        var isSameBook = false
        /// Its present content, which is not stored.
        var new: ContentFingerprint?
    }

    private var reader: FingerprintReader { FingerprintReader(shelf.host, shelf.place) }

    /// The files that are later states of the noted files, judged by the files and their metadata.
    private func laterStates(of changed: [ChangedFile]) throws(OverlayError) -> [ChangedFile] {
        let contents = try reader.read(changed.map(\.file))
        let metadata = try ownMetadata(of: changed.map(\.file))
        var certain: [ChangedFile] = []
        var silent: [ChangedFile] = []
        for (index, one) in changed.enumerated() {
            guard let new = try value(of: contents[index]), let now = try value(of: metadata[index])?.book
            else {
                cache.hold(one.file.path)
                continue
            }
            var one = one
            one.new = new
            guard new != one.old else { continue }
            let (title, former) = (Self.title(of: now, one.file), Self.title(of: one.book, one.file))
            let (authors, formerAuthors) = (now.authors ?? [], one.book.authors ?? [])
            // An app that rewrites a file may drop the file's metadata, in which case another book in its place
            // differs only from what was sent.
            let isContradicted =
                title != nil && former != nil && title != former
                || !authors.isEmpty && !formerAuthors.isEmpty && authors != formerAuthors
                || notes.sent(one.old).map { Self.isAnother(now, than: $0, one.file) } ?? false
            if authors == formerAuthors, title != nil, title == former {
                one.isSameBook = true
                certain.append(one)
            } else if !isContradicted || !one.isOwnWord {
                // Metadata from elsewhere was not in the file.
                silent.append(one)
            }
        }
        var younger: [ChangedFile] = []
        for var one in silent {
            one.isSameBook = one.former.created != 0 && one.former.created == one.file.created
            if one.isSameBook { certain.append(one) } else { younger.append(one) }
        }
        let grown = try grown(younger)
        // The app may have rewritten a file that this host sent, also more than once.
        return certain + grown.filter { $0.isSameBook || notes.sent($0.old) != nil }
    }

    /// Finds files that still begin with their earlier content, according to the fingerprint, because a PDF grows at
    /// its end. Files for which this cannot be determined are left out.
    private func grown(_ files: [ChangedFile]) throws(OverlayError) -> [ChangedFile] {
        func isLonger(_ one: ChangedFile) -> Bool { !one.file.isPackage && one.file.size > one.former.size }
        let longer = files.filter(isLonger)
        let beginnings = try reader.read(
            longer.map { FoundFile(path: $0.file.path, size: $0.former.size, modified: 0) })
        var told = files.filter { !isLonger($0) }
        for (var one, beginning) in zip(longer, beginnings) {
            guard let content = try value(of: beginning) else {
                cache.hold(one.file.path)
                continue
            }
            one.isSameBook = content == one.old
            told.append(one)
        }
        return told
    }

    /// The present paths of the noted contents of these files. Only files with the same sizes are read, all at once.
    private func places(
        of changed: [ChangedFile], in files: [FoundFile]
    ) throws(OverlayError) -> [ContentFingerprint: [ShelfPath]] {
        let sizes = Set(changed.map(\.former.size))
        var places: [ContentFingerprint: [ShelfPath]] = [:]
        var unknown: [FoundFile] = []
        for file in files where sizes.contains(file.size) {
            if let known = cache.entry(of: file)?.fingerprint {
                places[known, default: []].append(file.path)
            } else {
                unknown.append(file)
            }
        }
        for (file, content) in zip(unknown, try reader.read(unknown)) {
            if let content = try value(of: content) { places[content, default: []].append(file.path) }
        }
        return places
    }

    /// The metadata in the files themselves.
    private func ownMetadata(
        of files: [FoundFile]
    ) throws(OverlayError) -> [Result<BookMetadata, OverlayError>] {
        let plain = files.filter { !$0.isPackage }
        var answers = try readOwn(plain)[...]
        var metadata: [Result<BookMetadata, OverlayError>] = []
        for file in files {
            if file.isPackage {
                let package = PackageReader(shelf.host, shelf.place)
                metadata.append(try package.metadata(of: file, covers: false))
            } else if let answer = answers.popFirst() {
                metadata.append(answer)
            }
        }
        return metadata
    }

    private func readOwn(_ files: [FoundFile]) throws(OverlayError) -> [Result<BookMetadata, OverlayError>] {
        var answers: [Result<BookMetadata, OverlayError>] = []
        for start in stride(from: 0, to: files.count, by: 64) {
            try shelf.goOn()
            answers += try shelf.host.metadata.read(
                files[start...].prefix(64).map { .device(shelf.place.root, shelf.place.path($0.path)) })
        }
        return answers
    }

    /// The value of a result; nil if the failure concerns only the file.
    private func value<Value>(of result: Result<Value, OverlayError>) throws(OverlayError) -> Value? {
        switch result {
        case .success(let value): return value
        case .failure(let error) where error.endsTheCall: throw error
        default: return nil
        }
    }

    /// Whether the file of a book has another title and other authors than those with which the host sent the book.
    /// One of the two may differ, because the host's metadata need not be the file's.
    private static func isAnother(_ book: Book, than sent: Book, _ file: FoundFile) -> Bool {
        let (authors, others) = (book.authors ?? [], sent.authors ?? [])
        guard let title = title(of: book, file), let other = sent.title, !authors.isEmpty, !others.isEmpty
        else { return false }
        return title != other && authors != others
    }

    /// The title in a file's metadata; its name does not count as one. The recorded title of a renamed file may be
    /// its old name.
    private static func title(of book: Book, _ file: FoundFile) -> String? {
        book.title.flatMap { $0.isEmpty || $0 == file.path.stem ? nil : $0 }
    }
}
