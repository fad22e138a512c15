import UploadPlanning
import BookFolders
import OverlayKit

/// Works with Marvin if iOS opens only its documents: the files of its books, without the library that describes
/// them.
extension MarvinOverlay {
    /// The EPUBs among the documents, as for any other app; their metadata is cached.
    func documentShelf() throws(OverlayError) -> BookShelf {
        var options = ShelfOptions(appName: Self.descriptor.name, formats: BookFormats(["epub"]))
        options.looksIntoUnknownFiles = false
        options.keepsMetadata = try cache.isOn()
        options.clock = now
        return BookShelf(host, BookPlace(root: .documents), options)
    }

    /// The documents, with their metadata and sizes, as a library to compare an upload with.
    private func documentLibrary(
        _ shelf: BookShelf, _ device: MarvinDevice
    ) throws(OverlayError) -> (books: [LibraryBook], sizes: [[UInt8]: UInt64]) {
        var (books, sizes): ([LibraryBook], [[UInt8]: UInt64]) = ([], [:])
        try shelf.books(BooksOptions()) { book throws(OverlayError) in
            guard let path = book.path else { return }
            books.append(
                LibraryBook(
                    fileName: path, uuid: book.uuid, title: book.title,
                    author: book.authors?.joined(separator: ", ")))
            sizes[path.bytes] = book.size
        }
        // Anything else with the name of a book must not be overwritten either.
        for name in try device.names(in: device.paths.documents) ?? [] where sizes[name.bytes] == nil {
            books.append(LibraryBook(fileName: name))
        }
        return (books, sizes)
    }

    /// Copies EPUBs to the documents, where Marvin finds them at its next start. Existing books are left alone.
    ///
    /// The documents are examined while no other program of this kind adds to them, and the names are checked again
    /// just before the files are sent.
    func dropDocuments(
        _ items: [UploadItem], _ options: UploadOptions, _ device: MarvinDevice, _ rows: inout ItemRows
    ) throws(OverlayError) {
        let checker = UploadChecker(host: host)
        var sizes: [(index: Int, size: UInt64)] = []
        for (index, item) in items.enumerated() {
            try host.cancellation.check()
            do throws(OverlayError) {
                sizes.append((index, try checker.size(item)))
            } catch {
                if [.deviceGone, .cancelled, .timedOut].contains(error.status) { throw error }
                rows.add(.failed(index, error))
            }
        }
        guard !sizes.isEmpty else { return }
        try documentShelf().claimed { shelf throws(OverlayError) in
            let planned = try planDocuments(items, sizes, options, shelf, device, &rows)
            let bytes = Dictionary(sizes.map { ($0.index, $0.size) }) { first, _ in first }
            for part in BookShelf.parts(of: planned, size: { bytes[$0.index] ?? 0 }) {
                try shelf.goOn()
                try shelf.renewClaim()
                try push(try withoutTaken(part, device, &rows), options, shelf, device, &rows)
            }
        }
    }

    /// The books to send; the others get their rows.
    private func planDocuments(
        _ items: [UploadItem], _ measured: [(index: Int, size: UInt64)], _ options: UploadOptions,
        _ shelf: BookShelf, _ device: MarvinDevice, _ rows: inout ItemRows
    ) throws(OverlayError) -> [LibraryUpload] {
        let (library, sizes) = try documentLibrary(shelf, device)
        var plan = LibraryUploadPlan(
            options, of: items.map(\.book),
            LibraryEvidence(library, contents: ContentMatcher(device, library: library, sizes: sizes)),
            place: .documents, log: host.log)
        let free = try host.transport.freeSpace().free
        var left = free > UploadBatch.reserve ? free - UploadBatch.reserve : 0
        var planned: [LibraryUpload] = []
        for (index, size) in measured {
            try shelf.goOn()
            switch try plan.step(index, items[index], size: size) {
            case .present(let book, let rule):
                let isOther = rule != .content && sizes[book.fileName.bytes].map { $0 != size } ?? false
                rows.add(plan.skipped(index, book, rule, isOther: isOther))
            case .send where size > left: rows.add(.failed(index, .noRoom(for: size)))
            case .send(let upload, _):
                left -= size
                planned.append(upload)
            case .same(let first, let message): rows.add(index, like: first, message: message)
            case .row(let row): rows.add(row)
            case .change: break
            }
        }
        return planned
    }

    /// The books whose names are still free just before they are sent, because a push replaces a file of the same
    /// name.
    private func withoutTaken(
        _ books: [LibraryUpload], _ device: MarvinDevice, _ rows: inout ItemRows
    ) throws(OverlayError) -> [LibraryUpload] {
        let found = try device.infos(books.map { device.paths.document($0.name) })
        for (book, info) in zip(books, found) where info != nil {
            rows.add(
                .failed(
                    book.index,
                    OverlayError(
                        .alreadyExists,
                        "The book was not sent because another file with its name has "
                            + "just been created.",
                        subject: book.name, hint: "Run the same command again.")))
        }
        return zip(books, found).filter { $1 == nil }.map(\.0)
    }

    private func push(
        _ books: [LibraryUpload], _ options: UploadOptions, _ shelf: BookShelf, _ device: MarvinDevice,
        _ rows: inout ItemRows
    ) throws(OverlayError) {
        guard !books.isEmpty else { return }
        let pushes = books.map { PushItem($0.file, to: device.paths.document($0.name)) }
        try host.transport.push(device.root, pushes) { row throws(OverlayError) in
            let upload = books[row.index]
            if row.status == .ok, row.outcome != .failed {
                rows.add(
                    .done(
                        upload.index, .added, path: upload.name,
                        message: ([Self.dropped(options)] + upload.remarks).joined(separator: " ")))
            } else {
                var row = row
                row.index = upload.index
                row.path = nil
                rows.add(row)
            }
            shelf.keepClaim()
        }
        try host.cancellation.check()
    }

    private static func dropped(_ options: UploadOptions) -> String {
        let names = options.collections?.isEmpty ?? true ? "" : " It could not be added to collections."
        return
            "The file is in Marvin's documents. Marvin imports it the next time it starts."
            + names
    }
}
