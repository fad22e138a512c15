import BookFolders
import FoundationEssentials
import OverlayKit
import PropertyLists

extension IBooksOverlay: UploadsBooks {
    /// Books that are sent before the list is written; a cut cable costs no more than these.
    private static let batch = 25

    /// Adds EPUBs and PDFs: each file is sent and verified, its cover laid beside the others, and only then the list names
    /// it. What the list does not come to name is removed again.
    ///
    /// A book that is replaced is there until the list names the new one.
    public func uploadBooks(
        _ items: [UploadItem], options: UploadOptions, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try ItemRows.complete(items.count, untouched: "The book was not sent.", report: report) {
            rows throws(OverlayError) in
            guard options.volume == .main else {
                throw OverlayError(.notSupported, "An iPad or iPhone has no memory cards.")
            }
            guard !items.isEmpty else { return }
            try Permission.require(self)
            let library = try LibraryReader(host: host).library()
            if let damaged = library.unreadable.first { throw damaged }
            let planned = try plan(items, options, library, &rows)
            try rows.flush(report)
            guard !planned.isEmpty else { return }
            try requireSpace(planned)
            for start in stride(from: 0, to: planned.count, by: Self.batch) {
                try host.cancellation.check()
                try send(Array(planned[start...].prefix(Self.batch)), options, &rows)
                try rows.flush(report)
                host.progress.report(rows.done, of: items.count, phase: "Books added")
            }
        }
    }

    /// Looks at every file; items that need nothing more get their rows.
    private func plan(
        _ items: [UploadItem], _ options: UploadOptions, _ library: Library, _ rows: inout ItemRows
    ) throws(OverlayError) -> [(book: PlannedBook, digest: String)] {
        var plan = UploadPlan(options, library)
        var planned: [(book: PlannedBook, digest: String)] = []
        for (index, item) in items.enumerated() {
            try host.cancellation.check()
            host.progress.report(index, of: items.count, phase: "Comparing with what is there")
            do throws(OverlayError) {
                let format = try format(of: item)
                let (size, digest) = try measure(item.file)
                switch plan.decide(index, item, format, size: size, digest: digest) {
                case .add(let book): planned.append((book, digest))
                case .row(let row): rows.add(row)
                }
            } catch {
                if [.cancelled, .deviceGone, .timedOut].contains(error.status) { throw error }
                rows.add(.failed(index, error))
            }
        }
        return planned
    }

    private func format(of item: UploadItem) throws(OverlayError) -> BookFormat {
        // A name promises much; Books looks into the file.
        let found = try host.sniff.sniff(.file(item.file), hints: SniffHints(contentOnly: true))
        switch found.mediaType {
        case BookFormat.epub.mediaType: return .epub
        case BookFormat.pdf.mediaType: return .pdf
        default:
            throw OverlayError(
                .unsupportedFormat,
                "This is \(found.name ?? "no book that Books shows"), not an EPUB or PDF.",
                hint: "Convert the book first.")
        }
    }

    /// The bytes of a file and the digest of its content.
    private func measure(_ file: HostFile) throws(OverlayError) -> (size: UInt64, digest: String) {
        var digest = MD5()
        var size: UInt64 = 0
        try host.transport.localRead(file) { chunk, _, _ throws(OverlayError) in
            digest.add(chunk)
            size += UInt64(chunk.count)
        }
        return (size, digest.digest())
    }

    private func requireSpace(_ planned: [(book: PlannedBook, digest: String)]) throws(OverlayError) {
        let needed = planned.reduce(UInt64(0)) {
            $0 &+ $1.book.size &+ UInt64($1.book.item.book.coverData?.count ?? 0)
        }
        let free = try host.transport.freeSpace().free
        guard needed >= free else { return }
        throw OverlayError(
            .noSpace, "The books need \(needed) bytes, and only \(free) are free on the device.",
            hint: "Delete something on the device, or add fewer books at a time.")
    }

    /// Sends a few books and writes the list once for all of them.
    private func send(
        _ planned: [(book: PlannedBook, digest: String)], _ options: UploadOptions, _ rows: inout ItemRows
    ) throws(OverlayError) {
        var sent: [Int] = []
        var failure: OverlayError?
        var changed = false
        do throws(OverlayError) {
            let pushes = planned.map {
                PushItem($0.book.item.file, to: Library.root + "/" + $0.book.path.text)
            }
            try host.transport.push(.media, pushes) { row throws(OverlayError) in
                guard row.outcome == .failed else { return sent.append(row.index) }
                let index = planned[row.index].book.index
                var row = row
                (row.index, row.path) = (index, nil)
                rows.add(row)
            }
        } catch {
            failure = error
        }
        let arrived = planned.indices.filter(Set(sent).contains)
        do throws(OverlayError) {
            if let failure { throw failure }
            for place in arrived { try sendCover(planned[place].book) }
            try name(arrived.map { planned[$0] })
            changed = true
        } catch {
            if !changed { withdraw(arrived.map { planned[$0].book }) }
            throw error
        }
        for place in arrived {
            let book = planned[place].book
            try settle(book, options, &rows)
        }
    }

    /// Lays the cover beside those of synchronised books. Without it Books shows the one in the book.
    private func sendCover(_ book: PlannedBook) throws(OverlayError) {
        guard let bytes = book.item.book.coverData, !bytes.isEmpty, ImageKind(bytes) != nil else { return }
        do throws(OverlayError) {
            try host.transport.makeFolder(.media, ArtworkFolder.path)
            try host.transport.write(.media, ArtworkFolder.path + "/" + book.persistentID, bytes)
        } catch {
            if [.cancelled, .deviceGone, .timedOut].contains(error.status) { throw error }
            host.log.notice(
                "ibooks", "A cover could not be sent: \(error.message)", ["book": book.item.name])
        }
    }

    /// Makes a list name the new books.
    ///
    /// A book that is replaced keeps what its list says of it beyond what is known here.
    private func name(_ books: [(book: PlannedBook, digest: String)]) throws(OverlayError) {
        guard !books.isEmpty else { return }
        let reader = LibraryReader(host: host)
        var files: [(file: BookListFile, entries: [PropertyList])] = []
        for list in BookList.all {
            let file = try reader.file(list)
            files.append((file, file.entries))
        }
        for (book, digest) in books { enter(book, digest, into: &files) }
        let changer = ListChanger(host: host, now: now)
        var changes: [ListChanger.Change] = []
        for (file, entries) in files where entries != file.entries {
            do throws(OverlayError) {
                changes.append(try changer.change(file, to: entries))
            } catch {
                try changer.undo(changes, because: error)
                throw error
            }
        }
    }

    /// Puts the entry of one book in the place of the old one's, or else at the end of the list of its folder.
    private func enter(
        _ book: PlannedBook, _ digest: String,
        into files: inout [(file: BookListFile, entries: [PropertyList])]
    ) {
        let home = BookList.home(of: book.path)
        var old: [String: PropertyList]?
        var isNamed = false
        for index in files.indices {
            let list = files[index].file.list
            files[index].entries = files[index].entries.compactMap { value in
                guard let replaced = book.replaced, let entry = BookEntry(value),
                    list.isAbout(entry, replaced)
                else { return value }
                old = old ?? value.dictionary
                // In its old place the book stays where its list has it; from elsewhere a list would bring it back.
                guard replaced.path == book.path, let values = value.dictionary else { return nil }
                isNamed = true
                return .dictionary(self.entry(book, digest, over: values, path: values[BookEntry.Key.path]))
            }
        }
        guard !isNamed, let index = files.firstIndex(where: { $0.file.list == home.list }) else { return }
        files[index].entries.append(
            .dictionary(entry(book, digest, over: old ?? [:], path: .string(home.path))))
    }

    /// The entry of a book, over what a list said of it before.
    private func entry(
        _ book: PlannedBook, _ digest: String, over old: [String: PropertyList], path: PropertyList?
    ) -> [String: PropertyList] {
        var entry = old
        let known = book.item.book
        let stem = SafePath(book.item.name)?.stem ?? book.item.name
        entry[BookEntry.Key.path] = path ?? .string(BookList.home(of: book.path).path)
        entry[BookEntry.Key.name] = .string(known.title ?? stem)
        if let authors = known.authors, !authors.isEmpty {
            entry[BookEntry.Key.artist] = .string(Authors.joined(authors))
        }
        entry[BookEntry.Key.persistentID] = .string(book.persistentID)
        entry[BookEntry.Key.packageHash] = .string(digest)
        entry[BookEntry.Key.coverPath] = nil
        if entry[BookEntry.Key.imported] == nil {
            entry[BookEntry.Key.imported] = .date(
                Date(timeIntervalSince1970: now().timeIntervalSince1970.rounded(.down)))
        }
        return entry
    }

    /// Removes what was sent and no list names. What was in that place before is gone already and stays as sent.
    private func withdraw(_ books: [PlannedBook]) {
        for book in books where book.replaced?.path != book.path {
            do throws(OverlayError) {
                try host.transport.remove(.media, Library.root + "/" + book.path.text)
            } catch {
                host.log.warning(
                    "ibooks", "A book that Books does not list could not be removed again: \(error.message)",
                    ["book": book.path.text])
            }
        }
    }

    /// Removes what a book took the place of, and gives its row.
    private func settle(
        _ book: PlannedBook, _ options: UploadOptions, _ rows: inout ItemRows
    ) throws(OverlayError) {
        var words: [String] = []
        if let old = book.replaced, old.path != book.path {
            do throws(OverlayError) {
                try host.transport.remove(.media, old.devicePath, recursive: old.isUnpacked)
            } catch {
                if error.status != .notFound {
                    words.append(
                        "The old book, which Books does not list any more, could not be removed: \(error.message)"
                    )
                }
            }
        }
        if !(options.collections ?? []).isEmpty {
            words.append("Collections of Books cannot be set from here.")
        }
        rows.add(
            .done(
                book.index, book.replaced == nil ? .added : .replaced, path: book.path.text,
                message: words.isEmpty ? nil : words.joined(separator: " ")))
    }
}
