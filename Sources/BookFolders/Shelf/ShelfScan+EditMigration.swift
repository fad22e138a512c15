import OverlayKit

extension ShelfScan {
    /// Lets what is noted about books follow files into which their app has written since, such as a highlight into a PDF.
    ///
    /// A file that has the path of a noted one and says the same of itself is taken for a later state of it, unless the noted
    /// content is still there under another path: then that one was moved, and something else took its place. A file that
    /// tells no title says nothing; it has to have been made at the same time, or only to have grown at its end. As long as
    /// that cannot be told, or the notes cannot be kept, the cache keeps the former state, so that the next look tries again.
    ///
    /// Of any other file that says nothing else and has the path of one that was sent it is noted only that it was changed:
    /// its app may have written it anew, and what a person left in it is not to be lost.
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
                // Sent from here, and not looked into since.
                guard let book = notes.known(old) else { continue }
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

    /// A file with new content, and a note about its former content.
    private struct ChangedFile {
        var file: FoundFile
        var former: CachedFile
        var old: ContentFingerprint
        /// What was known about it, without what a person entered.
        var book: Book
        /// Whether the file said that itself.
        var isOwnWord: Bool
        /// Whether it is certain that it is the book that was there.
        var isSameBook = false
        /// Its content now, which is not remembered.
        var new: ContentFingerprint?
    }

    private var reader: FingerprintReader { FingerprintReader(shelf.host, shelf.place) }

    /// Those files that are later states of the noted ones, as far as they and what they say can tell.
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
            // An app that rewrites a file may leave out what the file said.
            let isContradicted =
                title != nil && former != nil && title != former
                || !authors.isEmpty && !formerAuthors.isEmpty && authors != formerAuthors
            if authors == formerAuthors, title != nil, title == former {
                one.isSameBook = true
                certain.append(one)
            } else if !isContradicted || !one.isOwnWord {
                // What came from elsewhere is nothing that the file has said.
                silent.append(one)
            }
        }
        var younger: [ChangedFile] = []
        for var one in silent {
            one.isSameBook = one.former.created != 0 && one.former.created == one.file.created
            if one.isSameBook { certain.append(one) } else { younger.append(one) }
        }
        let grown = try grown(younger)
        // What was sent from here may have been rewritten as a whole.
        return certain + grown.filter { $0.isSameBook || notes.known($0.old) != nil }
    }

    /// Finds the files that begin with all that they were, as far as a fingerprint tells: a PDF grows at its end. A file of
    /// which that cannot be told is left out.
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

    /// Where the noted contents of these files lie now: only files of their sizes are looked at, all at once.
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

    /// The metadata in the files.
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

    /// What a result holds; nil if the file is to blame for a failure.
    private func value<Value>(of result: Result<Value, OverlayError>) throws(OverlayError) -> Value? {
        switch result {
        case .success(let value): return value
        case .failure(let error) where error.endsTheCall: throw error
        default: return nil
        }
    }

    /// The title that a file tells; its name is none. A file that was renamed may have told the name it had before.
    private static func title(of book: Book, _ file: FoundFile) -> String? {
        book.title.flatMap { $0.isEmpty || $0 == file.path.stem ? nil : $0 }
    }
}
