import BookFolders
import OverlayKit

/// What is left of Marvin when iOS opens only its documents: the files of its books, without the library that knows them.
extension MarvinOverlay {
    /// The EPUBs among the documents, as any other app's files; what they say of themselves is kept.
    func documentShelf() throws(OverlayError) -> BookShelf {
        var options = ShelfOptions(appName: Self.descriptor.name, formats: BookFormats(["epub"]))
        options.looksIntoUnknownFiles = false
        options.keepsMetadata = try cache.isOn()
        return BookShelf(host, BookPlace(root: .documents), options)
    }

    /// What there is to compare an upload with: the documents with what they say of themselves, and their sizes.
    private func documentLibrary(
        _ device: MarvinDevice
    ) throws(OverlayError) -> (books: [LibraryBook], sizes: [[UInt8]: UInt64]) {
        var (books, sizes): ([LibraryBook], [[UInt8]: UInt64]) = ([], [:])
        try documentShelf().books(BooksOptions()) { book throws(OverlayError) in
            guard let path = book.path else { return }
            books.append(
                LibraryBook(
                    fileName: path, uuid: book.uuid, title: book.title,
                    author: book.authors?.joined(separator: ", ")))
            sizes[path.bytes] = book.size
        }
        // Whatever else lies there under the name of a book is not to be written over either.
        for name in try device.names(in: device.paths.documents) ?? [] where sizes[name.bytes] == nil {
            books.append(LibraryBook(fileName: name))
        }
        return (books, sizes)
    }

    /// Puts EPUBs among the documents, where Marvin finds them when it starts the next time. What is there already is left alone.
    func dropDocuments(
        _ items: [UploadItem], _ options: UploadOptions, _ device: MarvinDevice, _ rows: inout ResultRows
    ) throws(OverlayError) {
        let (library, sizes) = try documentLibrary(device)
        var planner = UploadPlanner(options, library: library, place: .documents, log: host.log)
        var contents = ContentMatcher(device, library: library, sizes: sizes)
        let checker = UploadChecker(host: host)
        var free = try host.transport.freeSpace().free
        var planned: [PlannedUpload] = []
        for (index, item) in items.enumerated() {
            try host.cancellation.check()
            do throws(OverlayError) {
                let size = try checker.size(item)
                let decision = try planner.decide(index, item, size: size) { () throws(OverlayError) in
                    try contents.book(item.file, size: size)
                }
                switch decision {
                case .present(let book, let rule) where !options.onConflict.changes:
                    let isOther = rule != .content && sizes[book.fileName.bytes].map { $0 != size } ?? false
                    rows.add(planner.skipped(index, book, isOther: isOther))
                case .present(let book, _): rows.add(Self.unchangeable(index, book))
                case .send where size > free:
                    rows.add(
                        .failed(
                            index,
                            OverlayError(.noSpace, "The device has not enough free space for the book.")))
                case .send(let upload, _):
                    free -= size
                    planned.append(upload)
                case .same(let first, let message): rows.add(index, like: first, message: message)
                case .row(let row): rows.add(row)
                case .change: break
                }
            } catch {
                if [.deviceGone, .cancelled, .timedOut].contains(error.status) { throw error }
                rows.add(.failed(index, error))
            }
        }
        guard !planned.isEmpty else { return }
        let pushes = planned.map { PushItem($0.file, to: device.paths.document($0.name)) }
        try host.transport.push(device.root, pushes) { row throws(OverlayError) in
            let upload = planned[row.index]
            guard row.status == .ok, row.outcome != .failed else {
                var row = row
                row.index = upload.index
                row.path = nil
                return rows.add(row)
            }
            rows.add(.done(upload.index, .added, path: upload.name, message: Self.dropped(options)))
        }
    }

    private static func dropped(_ options: UploadOptions) -> String {
        let names = options.collections?.isEmpty ?? true ? "" : " It could not be put into collections."
        return
            "The file lies among Marvin's documents. Marvin itself takes it in when it starts the next time."
            + names
    }

    private static func unchangeable(_ index: Int, _ book: LibraryBook) -> ItemResult {
        .failed(
            index,
            OverlayError(
                .notSupported,
                "The book is already among Marvin's documents and was left as it is: only they can be reached, and Marvin's "
                    + "library would not know of the change.",
                hint: MarvinHint.container), path: book.fileName)
    }
}
