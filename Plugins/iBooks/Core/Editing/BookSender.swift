import BookFolders
import Claims
import FoundationEssentials
import OverlayKit
import PropertyLists

/// Sends books of one command, batch by batch: files, then lists, then what the lists do not need any more.
struct BookSender {
    private let overlay: IBooksOverlay
    private let claim: FolderClaim
    private let unfinished: UnfinishedFiles
    private let options: UploadOptions
    private let changer: ListChanger
    private var host: HostServices { overlay.host }

    init(
        _ overlay: IBooksOverlay, _ claim: FolderClaim, _ unfinished: UnfinishedFiles,
        _ options: UploadOptions
    ) {
        (self.overlay, self.claim, self.unfinished, self.options) = (overlay, claim, unfinished, options)
        changer = ListChanger(host: overlay.host, now: overlay.now)
    }

    /// Sends a few books, which are noted, and writes the lists once for all of them; each book gets its row.
    func send(_ planned: [PlannedBook], _ rows: inout ItemRows) throws(OverlayError) {
        var arrived: [PlannedBook] = []
        var isListed = false
        do throws(OverlayError) {
            try push(planned, &arrived, &rows)
            // A new book has its cover before Books can see it.
            for book in arrived where book.replaced == nil { try sendCover(book) }
            arrived = try name(arrived, &rows)
            isListed = true
        } catch {
            if !isListed { withdraw(arrived) }
            throw error
        }
        var settled = Set(planned.map(\.path))
        for book in arrived { rows.add(try settle(book, &settled)) }
        // Of a book that did not arrive the old one stays, and is listed.
        for book in planned where !arrived.contains(where: { $0.index == book.index }) {
            if let old = book.replaced { settled.insert(old.path) }
        }
        try unfinished.settle(settled)
    }

    /// The files that a book leaves behind when this is broken off: the new one until it is listed, the old one after that.
    static func files(_ book: PlannedBook) -> [UnfinishedFiles.File] {
        let new = UnfinishedFiles.File(
            path: book.path, persistentID: book.replaced == nil ? book.persistentID : nil)
        return [new] + (book.replaced.map { [.init(path: $0.path, persistentID: nil)] } ?? [])
    }

    private func push(
        _ planned: [PlannedBook], _ arrived: inout [PlannedBook], _ rows: inout ItemRows
    ) throws(OverlayError) {
        let missing = planned.filter { !$0.isThere }
        var sent: Set<Int> = Set(planned.filter(\.isThere).map(\.index))
        defer { arrived = planned.filter { sent.contains($0.index) } }
        guard !missing.isEmpty else { return }
        let pushes = missing.map { PushItem($0.item.file, to: Library.root + "/" + $0.path.text) }
        try host.transport.push(.media, pushes) { row throws(OverlayError) in
            let book = missing[row.index]
            guard row.outcome == .failed else {
                sent.insert(book.index)
                return
            }
            var row = row
            (row.index, row.path) = (book.index, book.replaced?.path.text)
            rows.add(row)
        }
    }

    /// Lays the cover beside those of synchronised books. Without it Books shows the one in the book.
    private func sendCover(_ book: PlannedBook) throws(OverlayError) {
        guard let bytes = book.cover else { return }
        do throws(OverlayError) {
            try host.transport.makeFolder(.media, ArtworkFolder.path)
            try host.transport.write(.media, ArtworkFolder.path + "/" + book.persistentID, bytes)
        } catch {
            if error.endsTheCall { throw error }
            host.log.notice(
                "ibooks", "A cover could not be sent: \(error.message)", ["book": book.item.name])
        }
    }

    /// Makes the lists name the new books.
    ///
    /// A book that is replaced keeps what its list says of it beyond what is known here. A book whose file is not there as
    /// it was sent gets its row, and no list names it.
    ///
    /// - Returns: the books that the lists name.
    private func name(
        _ arrived: [PlannedBook], _ rows: inout ItemRows
    ) throws(OverlayError) -> [PlannedBook] {
        guard !arrived.isEmpty else { return [] }
        try claim.renew()
        let library = try LibraryReader(host: host).library()
        if let damaged = library.unreadable.first { throw damaged }
        let sizes = Dictionary(
            library.items.map { ($0.path, $0.info.size) }, uniquingKeysWith: { first, _ in first })
        let books = arrived.filter { sizes[$0.path] == $0.size }
        for book in arrived where sizes[book.path] != book.size {
            rows.add(
                .failed(
                    book.index,
                    OverlayError(
                        .verificationFailed, "The file did not stay on the device; Books does not list it.",
                        hint: "Wait until the synchronisation is over, then try again.", retryable: true),
                    path: book.replaced?.path.text))
        }
        var lists = library.files.map { (file: $0, entries: $0.entries) }
        for book in books { enter(book, library, into: &lists) }
        var changes: [ListChanger.Change] = []
        for (file, entries) in lists where entries != file.entries {
            do throws(OverlayError) {
                changes.append(try changer.change(file, to: entries))
            } catch {
                try changer.undo(changes, because: error)
                throw error
            }
        }
        return books
    }

    /// Puts the entry of one book in the place of each entry of the old one, or else at the end of the list of its folder.
    private func enter(
        _ book: PlannedBook, _ library: Library,
        into lists: inout [(file: BookListFile, entries: [PropertyList])]
    ) {
        let old = book.replaced.flatMap { replaced in library.items.first { $0.path == replaced.path } }
        var isNamed = false
        for source in old?.sources ?? [] {
            guard let list = lists.firstIndex(where: { $0.file.list == source.list }),
                let values = lists[list].entries[source.index].dictionary
            else { continue }
            isNamed = true
            lists[list].entries[source.index] = .dictionary(
                entry(book, over: values, path: source.list.path(to: book.path, source)))
        }
        let home = BookList.home(of: book.path)
        guard !isNamed, let list = lists.firstIndex(where: { $0.file.list == home.list }) else { return }
        lists[list].entries.append(.dictionary(entry(book, over: [:], path: home.path)))
    }

    /// The entry of a book, over what a list said of it before.
    private func entry(
        _ book: PlannedBook, over old: [String: PropertyList], path: String
    ) -> [String: PropertyList] {
        var entry = old
        let known = book.item.book
        let stem = SafePath(book.item.name)?.stem ?? book.item.name
        entry[BookEntry.Key.path] = .string(path)
        entry[BookEntry.Key.name] = .string(known.title ?? stem)
        if let authors = known.authors, !authors.isEmpty {
            entry[BookEntry.Key.artist] = .string(Authors.joined(authors))
        }
        entry[BookEntry.Key.persistentID] = .string(book.persistentID)
        entry[BookEntry.Key.packageHash] = .string(book.digest)
        entry[BookEntry.Key.coverPath] = nil
        if entry[BookEntry.Key.imported] == nil {
            entry[BookEntry.Key.imported] = .date(
                Date(timeIntervalSince1970: overlay.now().timeIntervalSince1970.rounded(.down)))
        }
        return entry
    }

    /// Removes what was sent and no list names, as they are now, and the covers of new books. What cannot be removed now, the
    /// next command removes, or takes over.
    private func withdraw(_ books: [PlannedBook]) {
        let sent = books.filter { !$0.isThere }
        guard !sent.isEmpty else { return }
        do throws(OverlayError) {
            try claim.renew()
            let library = try LibraryReader(host: host).library()
            if let damaged = library.unreadable.first { throw damaged }
            var settled: Set<SafePath> = []
            for book in sent {
                guard library.items.first(where: { $0.path == book.path })?.sources.isEmpty ?? false else {
                    continue
                }
                try host.transport.remove(.media, Library.root + "/" + book.path.text)
                if book.replaced == nil, book.cover != nil { try unfinished.removeCover(book.persistentID) }
                settled.insert(book.path)
            }
            try unfinished.settle(settled)
        } catch {
            host.log.warning(
                "ibooks",
                "Books that Books does not list could not be removed again; run the same command to finish it: \(error.message)",
                ["books": sent.map(\.path.text).joined(separator: ", ")])
        }
    }

    /// Removes what a book took the place of, sees to its cover, and gives its row.
    ///
    /// - Parameter settled: gets the old file if it is gone.
    private func settle(
        _ book: PlannedBook, _ settled: inout Set<SafePath>
    ) throws(OverlayError) -> ItemResult {
        var words: [String] = []
        if book.isThere { words.append("Its file was on the device already; now Books lists it.") }
        if let old = book.replaced {
            do throws(OverlayError) {
                // The old cover goes with the old book: without one of its own the new book shows the one in it.
                if book.cover == nil {
                    try unfinished.removeCover(book.persistentID)
                } else {
                    try sendCover(book)
                }
                try host.transport.remove(.media, old.devicePath, recursive: old.isUnpacked)
                settled.insert(old.path)
            } catch {
                if error.status == .notFound {
                    settled.insert(old.path)
                } else {
                    words.append(
                        "The old book, which Books does not list any more, could not be removed: \(error.message) "
                            + "The next upload or deletion removes it.")
                }
            }
        }
        if !(options.collections ?? []).isEmpty {
            words.append(AlreadyThere.noCollections("Books"))
        }
        return .done(
            book.index, book.replaced == nil ? .added : .replaced, path: book.path.text,
            message: words.isEmpty ? nil : words.joined(separator: " "))
    }
}
