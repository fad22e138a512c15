import OverlayKit
import UploadPlanning

extension BookShelf {
    /// The most books, and approximately the most bytes, that the transport gets in one part. Between two parts the
    /// connections are idle for some round trips, and the claim is checked.
    public static let sentAtOnce = (books: 512, bytes: UInt64(256 << 20))
    /// The number of new books in one folder from which listing the folder takes fewer requests than asking for each
    /// name.
    private static let crowd = 8

    /// Adds books, with one row for each item.
    ///
    /// `UploadPlanner` decides which books are on the device already. A new file never takes the name of another
    /// file. A file to be replaced stays until the transport has written and verified the new one beside it. A file
    /// with the same content is not sent; it only moves if another folder was requested. A file that the app has
    /// changed since it was sent is replaced only with consent. The host stores its metadata for a book and shows it
    /// with the book.
    public func upload(
        _ items: [UploadItem], _ wanted: UploadOptions, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try ItemRows.complete(items.count, untouched: "The book was not sent.", report: report) {
            rows throws(OverlayError) in
            guard wanted.volume == .main else {
                throw OverlayError(.notSupported, "An iPad or iPhone has no memory cards.")
            }
            guard !items.isEmpty else { return }
            let measured = try measure(items, &rows)
            try claimedAndListed { shelf, listed throws(OverlayError) in
                try shelf.add(items, measured, wanted, listed, &rows, report)
            }
        }
    }

    /// The measured values of an item's file.
    typealias Measured = (index: Int, size: UInt64, fingerprint: ContentFingerprint)

    /// Decides about each book and carries out the decision.
    private func add(
        _ items: [UploadItem], _ measured: [Measured], _ wanted: UploadOptions, _ listed: [String]?,
        _ rows: inout ItemRows, _ report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let scan = try scan(listed: listed)
        defer {
            scan.cache.save()
            save(scan.notes)
        }
        let digests = ContentDigests(scan)
        var plan = try ShelfUploadPlan(scan, items, wanted, digests, measured: measured)
        var planned: [ShelfUpload] = []
        var moves: [(file: FoundFile, book: ShelfUpload)] = []
        for file in measured {
            try goOn()
            let index = file.index
            switch try plan.step(file, items[index]) {
            case .send(let upload, let earlier):
                if let earlier {
                    planned.removeAll { $0.index == earlier }
                    rows.add(earlier, like: upload.index, message: DuplicateMessages.later)
                }
                planned.append(upload)
            case .move(let file, let upload): moves.append((file, upload))
            case .same(let first, let message): rows.add(index, like: first, message: message)
            case .note(let fingerprint, let path, let remark):
                let isNew = note(items[index].book, fingerprint, scan)
                let words = "The same file is already on the device"
                let ending = isNew ? "; the book's metadata was updated." : "."
                rows.add(
                    .done(
                        index, isNew ? .updated : .skipped, path: path.text,
                        message: [words + ending, remark].compactMap { $0 }.joined(separator: " ")))
            case .row(let row): rows.add(row)
            }
        }
        try rows.flush(report)
        try goOn()
        let unmoved = try move(moves, scan, &rows)
        // If the old file could not be moved there, the name counts as a new one, and any other file with it stays.
        for number in planned.indices where planned[number].mover.map({ unmoved.contains($0) }) ?? false {
            planned[number].outcome = .added
        }
        planned = try withFolders(try affordable(planned, &rows), &rows)
        try rows.flush(report)
        guard !planned.isEmpty else { return }
        try send(planned, of: items.count, scan, &rows, report)
    }

    /// The size and fingerprint of each file of the host; a file that cannot be read gets its row.
    private func measure(
        _ items: [UploadItem], _ rows: inout ItemRows
    ) throws(OverlayError) -> [Measured] {
        let reader = FingerprintReader(host, place)
        var measured: [Measured] = []
        for (index, item) in items.enumerated() {
            try host.cancellation.check()
            host.progress.report(index, of: items.count, phase: "Comparing with the books on the device")
            do throws(OverlayError) {
                // Use the size that the host reported, because asking again would cost a call for each file.
                let size: UInt64
                if let known = item.book.size {
                    size = known
                } else {
                    size = try host.transport.localInfo(item.file).size
                }
                guard size > 0 else { throw OverlayError(.unsupportedFormat, "The file is empty.") }
                try EPUBCheck(host).requireWhole(items[index])
                measured.append((index, size, try reader.read(item.file, size: size)))
            } catch {
                if error.endsTheCall { throw error }
                rows.add(.failed(index, error))
            }
        }
        return measured
    }

    /// The books that fit on the device; the others get their rows.
    private func affordable(
        _ books: [ShelfUpload], _ rows: inout ItemRows
    ) throws(OverlayError) -> [ShelfUpload] {
        guard !books.isEmpty else { return [] }
        let free = try host.transport.freeSpace().free
        var left = free > options.reserve ? free - options.reserve : 0
        var affordable: [ShelfUpload] = []
        for book in books {
            guard book.size <= left else {
                let needed = book.size.addingReportingOverflow(options.reserve).partialValue >> 20
                rows.add(
                    .failed(
                        book.index,
                        OverlayError(
                            .noSpace, "The device does not have enough free space for the book.",
                            hint: "Free at least \(max(1, needed)) MB on the device.")))
                continue
            }
            left -= book.size
            affordable.append(book)
        }
        return affordable
    }

    /// Creates the folders for the books; a book whose folder cannot be created gets its row.
    private func withFolders(
        _ books: [ShelfUpload], _ rows: inout ItemRows
    ) throws(OverlayError) -> [ShelfUpload] {
        var outcome: [ShelfPath: OverlayError?] = [:]
        var ready: [ShelfUpload] = []
        for book in books {
            guard let folder = book.path.folder else {
                ready.append(book)
                continue
            }
            if outcome[folder] == nil { outcome.updateValue(try make(folder), forKey: folder) }
            if let failure = outcome[folder] ?? nil {
                rows.add(.failed(book.index, failure))
            } else {
                ready.append(book)
            }
        }
        return ready
    }

    /// Divides an upload into parts that are sent one after the other.
    public static func parts<Book>(of books: [Book], size: (Book) -> UInt64) -> [[Book]] {
        var parts: [[Book]] = []
        var bytes: UInt64 = 0
        for book in books {
            let size = size(book)
            if let last = parts.last, last.count < sentAtOnce.books, bytes < sentAtOnce.bytes {
                parts[parts.count - 1].append(book)
                bytes = bytes.addingReportingOverflow(size).partialValue
            } else {
                parts.append([book])
                bytes = size
            }
        }
        return parts
    }

    /// Sends books in parts. Before each part it checks that the claim is still held and the names are still free.
    private func send(
        _ books: [ShelfUpload], of count: Int, _ scan: ShelfScan, _ rows: inout ItemRows,
        _ report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        host.progress.report(rows.done, of: count, phase: "Copying books")
        for (number, part) in Self.parts(of: books, size: \.size).enumerated() {
            try goOn()
            try renewClaim()
            // A run that is killed later knows the books that were sent until now.
            if number > 0, number.isMultiple(of: 2) {
                scan.cache.save()
                save(scan.notes)
            }
            try send(part: try withoutTaken(part, &rows), of: count, scan, &rows, report)
        }
    }

    private func send(
        part books: [ShelfUpload], of count: Int, _ scan: ShelfScan, _ rows: inout ItemRows,
        _ report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let items = books.map { PushItem($0.item.file, to: place.path($0.path)) }
        var sent: [ShelfScan.SentFile] = []
        try host.transport.push(place.root, items) { row throws(OverlayError) in
            let book = books[row.index]
            if row.status == .ok, row.outcome != .failed {
                // The file has new content now, even if its size and time happen to be the same.
                scan.cache.remove(book.path)
                note(book.item.book, book.fingerprint, scan)
                if let entry = remember(book, row, scan) { sent.append((entry, book.item)) }
                rows.add(.done(book.index, book.outcome, path: book.path.text, message: book.message))
            } else {
                var row = row
                (row.index, row.outcome) = (book.index, .failed)
                row.path = book.outcome == .added ? nil : book.path.text
                if row.status == .ok { row.status = .failed }
                row.message =
                    "Cannot send the book. " + (row.message ?? "Copying it to the device failed.")
                row.hint = row.hint ?? "Run the same command again."
                rows.add(row)
            }
            host.progress.report(rows.done, of: count, phase: "Copying books")
            try rows.flush(report)
            keepClaim()
        }
        try host.cancellation.check()
        try scan.readMetadata(ofSent: sent)
    }

    /// Moves the files of books that are replaced, and removes the folders that become empty.
    ///
    /// - Returns: the items whose files could not be moved.
    private func move(
        _ moves: [(file: FoundFile, book: ShelfUpload)], _ scan: ShelfScan, _ rows: inout ItemRows
    ) throws(OverlayError) -> Set<Int> {
        var left: [ShelfPath] = []
        var unmoved: Set<Int> = []
        defer { removeEmpty(left) }
        for (file, book) in moves {
            let row = try move(file, book, scan)
            if row.outcome == .failed {
                unmoved.insert(book.index)
            } else if let folder = file.path.folder {
                left.append(folder)
            }
            rows.add(row)
        }
        return unmoved
    }

    /// Moves a file that already has the content of a book to the requested folder, in one step. The file is never
    /// missing or duplicated, and keeps what the app has just written into it.
    private func move(
        _ file: FoundFile, _ book: ShelfUpload, _ scan: ShelfScan
    ) throws(OverlayError) -> ItemResult {
        do throws(OverlayError) {
            if let folder = book.path.folder, let failure = try make(folder) { throw failure }
            let found = try host.transport.stat(
                place.root, [place.path(file.path), place.path(book.path)])
            guard case .success(let info)? = found.first, info.size == file.size,
                info.modified == file.modified
            else {
                throw OverlayError(
                    .verificationFailed, "The book on the device has changed since it was compared.",
                    hint: "Run the same command again.", retryable: true)
            }
            if let failure = Self.taken(book.path, found[1]) { throw failure }
            try host.transport.rename(place.root, place.path(file.path), to: place.path(book.path))
        } catch {
            if error.endsTheCall { throw error }
            return .failed(book.index, error, path: file.path.text)
        }
        scan.cache.move(file.path, to: book.path)
        note(book.item.book, book.fingerprint, scan)
        let moved = "The same file was already on the device. It was moved here from '\(file.path.text)'."
        return .done(
            book.index, book.outcome, path: book.path.text,
            message: [moved, book.message].compactMap { $0 }.joined(separator: " "))
    }

    /// Records what is certain about a file that was just sent, so that it is not read back for a repeated upload.
    ///
    /// - Returns: the file on the device; nil with a host of an older version, which does not report it.
    private func remember(_ book: ShelfUpload, _ row: ItemResult, _ scan: ShelfScan) -> FoundFile? {
        guard row.modified != 0 else { return nil }
        let file = FoundFile(
            path: book.path, size: book.size, modified: row.modified, created: row.created)
        var entry = CachedFile(file)
        entry.fingerprint = book.fingerprint
        entry.contentID = book.item.book.contentID
        scan.cache.set(entry)
        return file
    }

    /// Checks the names once more, because pushing replaces files. A book with a new name is not sent if the name has
    /// been used meanwhile, or is used by a file that the walk ignores.
    private func withoutTaken(
        _ books: [ShelfUpload], _ rows: inout ItemRows
    ) throws(OverlayError) -> [ShelfUpload] {
        let added = books.filter { $0.outcome == .added }
        let crowds = Dictionary(grouping: added, by: \.path.folder).filter { $1.count >= Self.crowd }
        let single = added.filter { crowds[$0.path.folder] == nil }
        var failures: [Int: OverlayError] = [:]
        for (book, answer) in zip(
            single, try host.transport.stat(place.root, single.map { place.path($0.path) }))
        {
            failures[book.index] = Self.taken(book.path, answer)
        }
        for (folder, books) in crowds {
            let names = try Set(names(in: folder).map { BookName.key($0) })
            for book in books where names.contains(BookName.key(book.path.name)) {
                failures[book.index] = Self.taken(book.path)
            }
        }
        for book in added {
            if let failure = failures[book.index] { rows.add(.failed(book.index, failure)) }
        }
        return books.filter { failures[$0.index] == nil }
    }

    /// All names in a folder; empty if it does not exist.
    private func names(in folder: ShelfPath?) throws(OverlayError) -> [String] {
        do throws(OverlayError) {
            return try host.transport.list(place.root, place.path(folder)).map(\.name)
        } catch {
            guard error.status == .notFound else { throw error }
            return []
        }
    }

    /// The reason why a path must not be written, according to its file information; nil if the path is free.
    private static func taken(_ path: ShelfPath, _ scan: Result<FileInfo, OverlayError>) -> OverlayError? {
        switch scan {
        case .failure(let error): error.status == .notFound ? nil : error
        case .success: taken(path)
        }
    }

    private static func taken(_ path: ShelfPath) -> OverlayError {
        OverlayError(
            .alreadyExists, "The book was not sent because an unlisted file already has its name.",
            subject: path.text, hint: "Choose another title or collection, or try again.")
    }

    /// Records the host's metadata for a book, and returns whether any of it is new. The user's values are kept.
    @discardableResult
    private func note(_ book: Book, _ fingerprint: ContentFingerprint, _ scan: ShelfScan) -> Bool {
        var note = book.withoutCover
        // These come from the file or its path.
        (note.path, note.collections, note.size, note.format) = (nil, nil, nil, nil)
        (note.description, note.coverMediaType, note.coverSize, note.dateAdded) = (nil, nil, nil, nil)
        return scan.notes.setKnown(fingerprint, note, own: scan.cache.book(fingerprint))
    }
}
