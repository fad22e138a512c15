import BookFolders
import Claims
import FoundationEssentials
import OverlayKit
import PropertyLists
import UploadPlanning

/// Sends the books of one command in batches: first the files, then the lists. Then it removes files that the lists
/// no longer contain.
struct BookSender {
    private let overlay: IBooksOverlay
    private let claim: FolderClaim
    private let unfinished: FileJournal
    private let options: UploadOptions
    /// The lists that existed when the command began or that it has created.
    private var lists: Set<BooksPlist>
    /// Files on the device that differ from the files that were sent.
    private var spoiled: Set<SafePath> = []
    private let changer: ListChanger
    private var host: HostServices { overlay.host }

    init(
        _ overlay: IBooksOverlay, _ claim: FolderClaim, _ unfinished: FileJournal,
        _ options: UploadOptions, _ lists: Set<BooksPlist>
    ) {
        (self.overlay, self.claim, self.unfinished, self.options) = (overlay, claim, unfinished, options)
        self.lists = lists
        changer = ListChanger(host: overlay.host, now: overlay.now)
    }

    /// Sends a few books that have been noted, and writes the lists once for all of them; each book gets its row.
    mutating func send(_ planned: [PlannedBook], _ rows: inout ItemRows) throws(OverlayError) {
        var arrived: [PlannedBook] = []
        var isListed = false
        do throws(OverlayError) {
            try push(planned, &arrived, &rows)
            // The cover of a new book is sent before Books can see the book.
            for book in arrived where book.replaced == nil { try sendCover(book) }
            arrived = try name(arrived, &rows)
            isListed = true
        } catch {
            if !isListed { withdraw(arrived) }
            throw error
        }
        var settled = Set(planned.flatMap(\.paths)).subtracting(spoiled)
        for book in arrived { rows.add(try settle(book, &settled)) }
        // If a book could not be sent, the old one stays listed.
        for book in planned where !arrived.contains(where: { $0.index == book.index }) {
            if let old = book.replaced { settled.formUnion(old.places.map(\.path)) }
        }
        try unfinished.settle(settled)
    }

    /// The files that a book leaves behind after an interruption: the new one until it is listed, then the old one.
    ///
    /// - Parameter lists: the existing lists.
    static func files(_ book: PlannedBook, _ lists: Set<BooksPlist>) -> [UnfinishedFile] {
        var files: [UnfinishedFile] = []
        // A file that existed before must not be removed, unless an earlier command has noted it.
        if !book.isThere {
            let id = book.replaced == nil ? book.persistentID : nil
            for path in book.paths { files.append(.init(path, .new, persistentID: id, lists: lists)) }
        }
        for old in book.replaced?.places ?? [] {
            files.append(.init(old.path, .replaced(by: book.path), persistentID: nil, lists: lists))
        }
        return files
    }

    private mutating func push(
        _ planned: [PlannedBook], _ arrived: inout [PlannedBook], _ rows: inout ItemRows
    ) throws(OverlayError) {
        let missing = planned.filter { !$0.isThere && $0.parts == nil }
        var sent: Set<Int> = Set(planned.filter(\.isThere).map(\.index))
        defer { arrived = planned.filter { sent.contains($0.index) } }
        for book in planned {
            guard let parts = book.parts, let temporary = book.temporaryPath else { continue }
            do throws(OverlayError) {
                try unpack(parts, into: temporary, as: book.path)
                sent.insert(book.index)
            } catch {
                if error.endsTheCall { throw error }
                try discard(temporary)
                rows.add(.failed(book.index, error, path: book.replaced?.path.text))
            }
        }
        guard !missing.isEmpty else { return }
        let pushes = missing.map { PushItem($0.item.file, to: BooksLibrary.path($0.path)) }
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

    /// Unpacks a book into a folder that listings skip, and renames the folder when all parts are in it.
    ///
    /// After a failure, the first folder may still exist.
    private func unpack(
        _ parts: BookParts, into temporary: SafePath, as path: SafePath
    ) throws(OverlayError) {
        let folder = BooksLibrary.path(temporary)
        try unfinished.removeIfThere(folder, recursive: true)
        for name in [""] + parts.folders.map({ "/" + $0 }) {
            try host.transport.makeFolder(.media, folder + name)
        }
        for part in parts.all {
            try host.cancellation.check()
            try claim.keep()
            let written: Result<Void, OverlayError> = try parts.content(part).withUnsafeBytes { bytes in
                Result { () throws(OverlayError) in
                    try host.transport.write(.media, folder + "/" + part.path.text, bytes)
                }
            }
            try written.get()
        }
        try host.transport.rename(.media, folder, to: BooksLibrary.path(path))
    }

    /// Removes a folder that was to become a book. If it cannot be removed, its note stays for the next command.
    private mutating func discard(_ temporary: SafePath) throws(OverlayError) {
        do throws(OverlayError) {
            try unfinished.removeIfThere(BooksLibrary.path(temporary), recursive: true)
        } catch {
            if error.endsTheCall { throw error }
            spoiled.insert(temporary)
            host.log.notice(
                "ibooks",
                "The unpacked parts of a book were left for the next command to remove: "
                    + "\(error.message)",
                ["folder": temporary.text])
        }
    }

    /// Puts the cover beside those of synced books. Without it, Books shows the cover in the book.
    private func sendCover(_ book: PlannedBook) throws(OverlayError) {
        guard let bytes = book.cover, let path = ArtworkFolder.path(of: book.persistentID) else { return }
        do throws(OverlayError) {
            try host.transport.makeFolder(.media, ArtworkFolder.path)
            try host.transport.write(.media, path, bytes)
        } catch {
            if error.endsTheCall { throw error }
            host.log.notice(
                "ibooks", "Cannot send a cover: \(error.message)", ["book": book.item.name])
        }
    }

    /// Adds the new books to the lists.
    ///
    /// A replaced book keeps the values of its list entry that are not known here. If a book's file differs from the
    /// file that was sent, the book gets a row and is not listed.
    ///
    /// - Returns: the books that are listed.
    private mutating func name(
        _ arrived: [PlannedBook], _ rows: inout ItemRows
    ) throws(OverlayError) -> [PlannedBook] {
        guard !arrived.isEmpty else { return [] }
        try claim.renew()
        let library = try current()
        let items = library.itemsByPath()
        var books: [PlannedBook] = []
        for book in arrived {
            do throws(OverlayError) {
                try requireWhole(book, items[book.path])
                books.append(book)
            } catch {
                if error.endsTheCall { throw error }
                if items[book.path] != nil { spoiled.insert(book.path) }
                rows.add(.failed(book.index, error, path: book.replaced?.path.text))
            }
        }
        var lists = library.files.map { (file: $0, entries: $0.entries) }
        for book in books { enter(book, items, into: &lists) }
        let changed = lists.filter { $0.entries != $0.file.entries }
        try changer.change(changed)
        self.lists.formUnion(changed.map(\.file.list))
        var seen = SeenLists(host)
        seen.note(self.lists)
        return books
    }

    /// Checks that a book on the device is complete: a file by its size, a folder by the names and sizes of all its
    /// parts.
    private func requireWhole(_ book: PlannedBook, _ item: BooksLibrary.Item?) throws(OverlayError) {
        var isWhole = false
        if let parts = book.parts {
            if let item, item.isUnpacked {
                isWhole = parts.areAll(in: try FolderTree(host, item.devicePath))
            }
        } else {
            isWhole = item?.info.size == book.size
        }
        guard isWhole else {
            throw OverlayError(
                .verificationFailed, "The file did not stay on the device; Books does not list it.",
                hint: "Wait until the sync has finished, then try again.", retryable: true)
        }
    }

    /// The present library.
    ///
    /// - Throws: `busy` if lists have appeared or disappeared meanwhile. While a list is being rewritten it is
    ///   missing for a moment, and a new list in its place would lose its entries.
    private func current() throws(OverlayError) -> BooksLibrary {
        let library = try BooksLibraryReader(host: host, now: overlay.now).library()
        try library.requireWhole()
        guard library.present == lists else {
            let other = library.present.symmetricDifference(lists).map(\.path).sorted().first
            throw OverlayError(
                .busy, "The lists of books are being rewritten.", subject: other,
                hint: "Wait until the sync has finished, then try again.", retryable: true)
        }
        return library
    }

    /// Replaces each entry of the old book with the new book's entry, or else adds it at the end of the list of its
    /// folder.
    private func enter(
        _ book: PlannedBook, _ items: [SafePath: BooksLibrary.Item],
        into lists: inout [(file: BooksPlistFile, entries: [PropertyList])]
    ) {
        let old = book.replaced.flatMap { items[$0.path] }
        var isNamed = false
        for source in old?.sources ?? [] {
            guard let list = lists.firstIndex(where: { $0.file.list == source.list }),
                let values = lists[list].entries[source.index].dictionary
            else { continue }
            isNamed = true
            lists[list].entries[source.index] = .dictionary(
                entry(book, over: values, old?.entry, path: source.list.path(to: book.path, source)))
        }
        let home = BooksPlist.home(of: book.path)
        guard !isNamed, let list = lists.firstIndex(where: { $0.file.list == home.list }) else { return }
        lists[list].entries.append(.dictionary(entry(book, over: [:], old?.entry, path: home.path)))
    }

    /// The entry of a book. Earlier values are kept if they are unknown for the new book.
    ///
    /// - Parameter listed: the combined values of all lists.
    private func entry(
        _ book: PlannedBook, over old: [String: PropertyList], _ listed: BookEntry?, path: String
    ) -> [String: PropertyList] {
        var entry = old
        let known = book.item.book
        entry[BookEntry.Key.path] = .string(path)
        let title = known.title.flatMap { $0.contains { !$0.isWhitespace } ? $0 : nil }
        if let title {
            entry[BookEntry.Key.name] = .string(title)
        } else if BookEntry(.dictionary(old))?.title == nil {
            let stem = SafePath(book.item.name)?.stem ?? book.item.name
            entry[BookEntry.Key.name] = .string(listed?.title ?? stem)
        }
        if let authors = known.authors, !authors.isEmpty {
            entry[BookEntry.Key.artist] = .string(Authors.joined(authors))
        }
        entry[BookEntry.Key.persistentID] = .string(book.persistentID)
        entry[BookEntry.Key.packageHash] = .string(book.digest)
        entry[BookEntry.Key.coverPath] = nil
        // Sent files are not protected; Apple's protection applied to the old file.
        if entry[BookEntry.Key.isProtected] != nil { entry[BookEntry.Key.isProtected] = .boolean(false) }
        if entry[BookEntry.Key.imported] == nil {
            entry[BookEntry.Key.imported] = .date(
                Date(timeIntervalSince1970: overlay.now().timeIntervalSince1970.rounded(.down)))
        }
        return entry
    }

    /// Removes sent files that no list names now, and the covers of new books. What cannot be removed now is removed
    /// or reused by the next command.
    private func withdraw(_ books: [PlannedBook]) {
        let sent = books.filter { !$0.isThere }
        guard !sent.isEmpty else { return }
        do throws(OverlayError) {
            try claim.renew()
            let items = try current().itemsByPath()
            var settled: Set<SafePath> = []
            for book in sent {
                guard items[book.path]?.sources.isEmpty ?? false else { continue }
                try host.transport.remove(.media, BooksLibrary.path(book.path), recursive: book.parts != nil)
                if book.replaced == nil, book.cover != nil { try unfinished.removeCover(book.persistentID) }
                settled.formUnion(book.paths)
            }
            try unfinished.settle(settled)
        } catch {
            host.log.warning(
                "ibooks",
                "Cannot remove unlisted books. Run the same command again to finish: \(error.message)",
                ["books": sent.map(\.path.text).joined(separator: ", ")])
        }
    }

    /// Removes the book that was replaced, updates the cover, and gives the row.
    ///
    /// - Parameter settled: receives the old file if it is gone.
    private func settle(
        _ book: PlannedBook, _ settled: inout Set<SafePath>
    ) throws(OverlayError) -> ItemResult {
        var words = book.remarks
        if book.isThere { words.append("The file was already on the device. Books now lists it.") }
        if let old = book.replaced {
            do throws(OverlayError) {
                // The old cover is removed with the old book, so that the new book shows its own.
                if book.cover == nil {
                    try unfinished.removeCover(book.persistentID)
                } else {
                    try sendCover(book)
                }
                for place in old.places {
                    try unfinished.removeIfThere(place.devicePath, recursive: place.isUnpacked)
                    settled.insert(place.path)
                }
            } catch {
                words.append(
                    "Cannot remove the old book, which Books no longer lists: \(error.message) The next "
                        + "upload or deletion removes it.")
            }
        }
        if !(options.collections ?? []).isEmpty {
            words.append(DuplicateMessages.noCollections("Books"))
        }
        return .done(
            book.index, book.replaced == nil ? .added : .replaced, path: book.path.text,
            message: words.isEmpty ? nil : words.joined(separator: " "))
    }
}
