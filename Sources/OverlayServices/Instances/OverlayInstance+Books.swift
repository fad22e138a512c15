import BookModel
import HostContract
import HostErrors
import OverlayABI
import OverlayBridge
import OverlayCalls

/// One file for `upload_books`.
package struct UploadInput: Sendable {
    /// Where it is on this computer.
    package var path: String
    /// Its name without folders.
    package var name: String
    /// What tells whether it is still the file that was checked.
    package var identity: LocalIdentity
    /// What the host knows about the book; `path` is that of the book that it replaces, empty: the overlay finds it.
    package var book: BookRecord

    /// A file that has been checked, with what is known about its book.
    package init(path: String, name: String, identity: LocalIdentity, book: BookRecord) {
        self.path = path
        self.name = name
        self.identity = identity
        self.book = book
    }
}

/// The rows of a method that works item by item, and why it ended early if it did.
package struct OverlayRows: Sendable {
    /// One per item; nil where the overlay reported nothing.
    package var rows: [OverlayRow?]
    /// Why the method as a whole failed.
    package var failure: HostError?
}

extension OverlayInstance {
    /// All books, or at least those that are wanted.
    ///
    /// - Parameters:
    ///   - wanted: paths and uuids; nil: all books. An overlay of an earlier minor version delivers all.
    ///   - unread: whether what the files of the wanted books say is not needed.
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
    ///   - mayLoseMarks: whether the person has agreed to lose what they left in books that are replaced.
    ///   - reported: called with each row as the overlay reports it, on the device thread.
    package func uploadBooks(
        _ inputs: [UploadInput], conflict: UInt32, collections: [String], mayLoseMarks: Bool = false,
        reported: ((Int, OverlayRow) -> Void)? = nil
    ) -> OverlayRows {
        rows(.uploadBooks, count: inputs.count, reported) { call, memory in
            // Numbers are lent on the device thread, within the call they are for.
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

    /// Deletes books. `reported` is that of `uploadBooks`.
    package func deleteBooks(_ paths: [String], reported: ((Int, OverlayRow) -> Void)? = nil) -> OverlayRows {
        rows(.deleteBooks, count: paths.count, reported) { call, memory in
            call.add(pointerTo: memory.texts(paths))
        }
    }

    /// Writes an edited booklist to the reader app. `reported` is that of `uploadBooks`.
    package func syncBooklists(_ books: [BookRecord], reported: ((Int, OverlayRow) -> Void)? = nil)
        -> OverlayRows
    {
        rows(.syncBooklists, count: books.count, reported) { call, memory in
            call.add(pointerTo: memory.list(books) { memory.book($0) })
        }
    }

    /// Fetches books into a private folder made in `folder`; the files stay until `discardFetched`.
    ///
    /// - Parameter sizes: the sizes that the overlay listed, which are not asked for again.
    package func prepareAddableBooks(
        _ paths: [String], sizes: [UInt64?] = [], in folder: String? = nil
    ) -> OverlayRows {
        rows(.prepareAddableBooks, count: paths.count) { call, memory in
            context.frame?.listedSizes = ListedSizes(Array(zip(paths, sizes)))
            context.pullFolder = PullFolder(parent: folder ?? context.environment.temporaryFolder)
            call.add(pointerTo: memory.texts(paths))
        }
    }

    /// Removes what the last `prepareAddableBooks` fetched and is still in its folder.
    package func discardFetched() { onThread { [context] in context.pullFolder = nil } }

    /// From now on small files are copied whole when the overlay reads parts of them before their metadata, and are fetched by
    /// these copies, until `discardStaged` or until the overlay changes something on the device.
    ///
    /// - Parameter prepare: gives the place for the copies when there is a first one, on the device thread; nil: none is copied.
    package func stage(_ prepare: @escaping @Sendable () -> StagingPlace?) {
        onThread { [context] in context.staged = StagedCopies(prepare) }
    }

    /// Removes the staged copies that were not fetched.
    package func discardStaged() { onThread { [context] in context.staged = nil } }

    /// Hands the bytes of a book on, in order, on the device thread. Returns how many there were, and how many the overlay
    /// had announced, which are as many; nil if it announced nothing, as where it makes the file while it is sent.
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

    /// Calls a method that reports rows, with the checks all of them share.
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
    /// The path of a file that `pull` gave during the running call.
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
    /// The collections of the reader app with their books, empty ones as well; nil if the overlay knows only those that books
    /// name.
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
