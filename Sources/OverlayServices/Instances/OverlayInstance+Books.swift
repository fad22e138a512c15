import BookModel
import HostContract
import HostErrors
import OverlayABI
import OverlayBridge
import OverlayCalls

/// One file for `upload_books`.
package struct UploadInput: Sendable {
    /// The path on the host.
    package var path: String
    /// The name without folders.
    package var name: String
    /// Identifies the file that was checked, to detect whether it was replaced or changed.
    package var identity: LocalIdentity
    /// The host's metadata of the book. `path` is that of the book to replace; if it is empty, the overlay finds this
    /// book.
    package var book: BookRecord

    /// Creates an input from a checked file and the metadata of its book.
    package init(path: String, name: String, identity: LocalIdentity, book: BookRecord) {
        self.path = path
        self.name = name
        self.identity = identity
        self.book = book
    }
}

/// The rows of a method that processes items, and the error if it ended early.
package struct OverlayRows: Sendable {
    /// One row for each item; nil for an item without a result.
    package var rows: [OverlayRow?]
    /// The error of the complete method.
    package var failure: HostError?
}

extension OverlayInstance {
    /// Lists all books, or at least the wanted ones.
    ///
    /// - Parameters:
    ///   - wanted: the paths and uuids of the wanted books; nil for all books. An overlay of an earlier minor version
    ///     returns all books.
    ///   - unread: whether the metadata in the files of the wanted books is not needed.
    package func books(
        withCovers: Bool = false, withAnnotations: Bool = false, wanted: [String]? = nil,
        unread: Bool = false,
        volume: UInt32 = OVL_VOLUME_MAIN
    ) throws(HostError) -> BookList {
        guard overlay.implements(.books) else { throw notImplemented(.books) }
        let frame = CallFrame(.books)
        let collector = BookCollector()
        frame.books = collector
        var options = ovl_books_options.sized()
        options.flags =
            (withCovers ? OVL_BOOKS_WITH_COVERS : 0) | (withAnnotations ? OVL_BOOKS_WITH_ANNOTATIONS : 0)
        options.volume = volume
        if wanted != nil, unread { options.flags |= OVL_BOOKS_UNREAD }
        try perform(.books, frame) { call, memory in
            if let wanted { options.wanted = memory.texts(wanted) }
            call.add(pointerTo: options)
            call.add(pointerTo: sinks.book)
        }.check()
        return collector.books
    }

    /// Adds books.
    ///
    /// - Parameters:
    ///   - mayLoseMarks: whether the user has agreed to lose annotations in books that are replaced.
    ///   - reported: called with each row that the overlay reports, on the device thread.
    package func uploadBooks(
        _ inputs: [UploadInput], conflict: UInt32, collections: [String], mayLoseMarks: Bool = false,
        reported: ((Int, OverlayRow) -> Void)? = nil
    ) -> OverlayRows {
        rows(.uploadBooks, count: inputs.count, reported) { call, memory in
            // Lend file numbers on the device thread, during the call in which they are valid.
            call.add(
                pointerTo: memory.list(inputs) { input in
                    var item = ovl_upload_item.sized()
                    item.file = context.loans.lend(
                        FileLoans.Loan(path: input.path, name: input.name, identity: input.identity))
                    item.name = memory.text(input.name)
                    item.book = memory.book(input.book, hasPath: !input.book.path.isEmpty)
                    return item
                })
            var options = ovl_upload_options.sized()
            options.volume = OVL_VOLUME_MAIN
            options.flags = mayLoseMarks ? OVL_UPLOAD_MAY_LOSE_MARKS : 0
            options.on_conflict = conflict
            options.collections = memory.texts(collections)
            call.add(pointerTo: options)
        }
    }

    /// Deletes books. For `reported`, see `uploadBooks`.
    package func deleteBooks(_ paths: [String], reported: ((Int, OverlayRow) -> Void)? = nil) -> OverlayRows {
        rows(.deleteBooks, count: paths.count, reported) { call, memory in
            call.add(pointerTo: memory.texts(paths))
        }
    }

    /// Writes an edited list of books to the reader app. For `reported`, see `uploadBooks`.
    package func syncBooklists(_ books: [BookRecord], reported: ((Int, OverlayRow) -> Void)? = nil)
        -> OverlayRows
    {
        rows(.syncBooklists, count: books.count, reported) { call, memory in
            call.add(pointerTo: memory.list(books) { memory.book($0) })
        }
    }

    /// Fetches books into a private folder in `folder`. The files exist until `discardFetched` is called.
    ///
    /// - Parameter sizes: the sizes that the overlay listed, which need not be requested again.
    package func prepareAddableBooks(
        _ paths: [String], sizes: [UInt64?] = [], in folder: String? = nil
    ) -> OverlayRows {
        rows(.prepareAddableBooks, count: paths.count) { call, memory in
            context.frame?.listedSizes = ListedSizes(Array(zip(paths, sizes)))
            context.pullFolder = PullFolder(parent: folder ?? context.environment.temporaryFolder)
            call.add(pointerTo: memory.texts(paths))
        }
    }

    /// Removes the files of the last `prepareAddableBooks` that are still in its folder.
    package func discardFetched() { onThread { [context] in context.pullFolder = nil } }

    /// Starts staging: when the overlay reads parts of small files before their metadata, these files are copied
    /// completely, and later fetched from the copies. Staging ends with `discardStaged`, or when the overlay changes
    /// something on the device.
    ///
    /// - Parameter prepare: returns the place for the copies, and is called before the first copy, on the device
    ///   thread; nil to copy nothing.
    package func stage(_ prepare: @escaping @Sendable () -> StagingPlace?) {
        onThread { [context] in context.staged = StagedCopies(prepare) }
    }

    /// Removes the staged copies that were not fetched.
    package func discardStaged() { onThread { [context] in context.staged = nil } }

    /// Passes the bytes of a book to `receive`, in order, on the device thread. Returns their number, and the number
    /// that the overlay announced, which is the same; nil if it did not announce one because it creates the file
    /// while sending it.
    package func getFile(_ path: String, _ receive: @escaping (UnsafeRawBufferPointer) throws -> Void)
        throws(HostError) -> (count: UInt64, announced: UInt64?)
    {
        guard overlay.implements(.getFile) else { throw notImplemented(.getFile) }
        let frame = CallFrame(.getFile)
        let collector = BytesCollector(receive)
        frame.bytes = collector
        let outcome = perform(.getFile, frame) { call, memory in
            call.add(pointerTo: memory.text(path))
            call.add(pointerTo: sinks.bytes)
        } check: { () throws(ContractBreach) in
            try collector.checkComplete()
        }
        if let failure = collector.failure {
            throw failure as? HostError
                ?? HostError(.hostIO, "Cannot write the book: \(failure).", subject: path)
        }
        try outcome.check()
        return (collector.count, collector.total)
    }

    /// Calls a method that reports rows, with the checks that these methods share.
    private func rows(
        _ method: OverlayMethod, count: Int, _ reported: ((Int, OverlayRow) -> Void)? = nil,
        _ fill: (CallArguments, Arena) -> Void
    ) -> OverlayRows {
        guard overlay.implements(method) else {
            return OverlayRows(rows: Array(repeating: nil, count: count), failure: notImplemented(method))
        }
        let frame = CallFrame(method)
        let collector = RowCollector(method, count: count, reported: reported) { [unowned context] id in
            context.fetchedFile(id)
        }
        frame.rows = collector
        let outcome = perform(method, frame) { call, memory in
            fill(call, memory)
            call.add(pointerTo: sinks.result)
        } check: { () throws(ContractBreach) in
            try collector.checkComplete()
        }
        return OverlayRows(rows: collector.rows, failure: outcome.error)
    }
}

extension InstanceContext {
    /// The path of a file that `pull` provided during the current call.
    func fetchedFile(_ id: UInt64) -> String? {
        guard id != 0 else { return nil }
        do throws(HostError) {
            let loan = try loans.loan(id)
            return loan.isFetched ? loan.path : nil
        } catch {
            return nil
        }
    }
}

extension OverlayInstance {
    /// The collections of the reader app with their books, including empty ones; nil if the overlay only knows the
    /// collections that books name.
    package func collections() throws(HostError) -> [BookCollection]? {
        guard overlay.implements(.collections) else { return nil }
        let frame = CallFrame(.collections)
        let collector = CollectionCollector()
        frame.collections = collector
        try perform(.collections, frame) { call, _ in
            call.add(pointerTo: sinks.collection)
        }.check()
        return collector.collections
    }
}
