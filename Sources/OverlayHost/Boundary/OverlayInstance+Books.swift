import OverlayABI

/// One file that `upload_books` shall add.
package struct UploadInput: Sendable {
    /// Where it is on this computer.
    package var path: String
    /// Its name without folders.
    package var name: String
    /// What tells whether it is still the file that was checked.
    package var identity: LocalIdentity
    /// What the host knows about the book; `path` has no meaning yet.
    package var book: BookRecord

    /// A file that has been checked, with what is known of its book.
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
    /// All books.
    package func books(
        withCovers: Bool = false, withAnnotations: Bool = false, volume: UInt32 = OVL_VOLUME_MAIN
    ) throws(HostError) -> BookList {
        guard let slot = overlay.methods.books else { throw notImplemented(.books) }
        let frame = CallFrame(.books)
        let collector = BookCollector()
        frame.books = collector
        var options = ovl_books_options.sized()
        options.flags =
            (withCovers ? OVL_BOOKS_WITH_COVERS : 0) | (withAnnotations ? OVL_BOOKS_WITH_ANNOTATIONS : 0)
        options.volume = volume
        let sink = core.bookSink()
        try perform(.books, frame) { instance, error in
            withUnsafePointer(to: options) { options in
                withUnsafePointer(to: sink) { slot(instance, options, $0, error) }
            }
        }.check()
        return collector.books
    }

    /// Adds books.
    ///
    /// - Parameter mayLoseMarks: whether the person has agreed to lose what they left in books that are replaced.
    package func uploadBooks(
        _ inputs: [UploadInput], conflict: UInt32, collections: [String], mayLoseMarks: Bool = false
    ) -> OverlayRows {
        guard let slot = overlay.methods.upload_books else {
            return OverlayRows(rows: inputs.map { _ in nil }, failure: notImplemented(.uploadBooks))
        }
        let memory = CallMemory()
        var options = ovl_upload_options.sized()
        options.volume = OVL_VOLUME_MAIN
        options.flags = mayLoseMarks ? OVL_UPLOAD_MAY_LOSE_MARKS : 0
        options.on_conflict = conflict
        options.collections = memory.texts(collections)
        return rows(.uploadBooks, count: inputs.count) { [core] instance, sink, error in
            // Numbers are lent on the device thread, within the call they are for.
            let items = memory.list(inputs) { input in
                var item = ovl_upload_item.sized()
                item.file = core.loans.lend(
                    FileLoans.Loan(path: input.path, name: input.name, identity: input.identity))
                item.name = memory.text(input.name)
                item.book = memory.book(input.book, hasPath: false)
                return item
            }
            return withUnsafePointer(to: items) { items in
                withUnsafePointer(to: options) { slot(instance, items, $0, sink, error) }
            }
        }
    }

    /// Deletes books.
    package func deleteBooks(_ paths: [String]) -> OverlayRows {
        guard let slot = overlay.methods.delete_books else {
            return OverlayRows(rows: paths.map { _ in nil }, failure: notImplemented(.deleteBooks))
        }
        let memory = CallMemory()
        let texts = memory.texts(paths)
        return rows(.deleteBooks, count: paths.count) { instance, sink, error in
            withExtendedLifetime(memory) { withUnsafePointer(to: texts) { slot(instance, $0, sink, error) } }
        }
    }

    /// Writes an edited booklist to the reader app.
    package func syncBooklists(_ books: [BookRecord]) -> OverlayRows {
        guard let slot = overlay.methods.sync_booklists else {
            return OverlayRows(rows: books.map { _ in nil }, failure: notImplemented(.syncBooklists))
        }
        let memory = CallMemory()
        let list = memory.list(books) { memory.book($0) }
        return rows(.syncBooklists, count: books.count) { instance, sink, error in
            withExtendedLifetime(memory) { withUnsafePointer(to: list) { slot(instance, $0, sink, error) } }
        }
    }

    /// Fetches books into a private folder made in `folder`; the files stay until `discardFetched`.
    package func prepareAddableBooks(_ paths: [String], in folder: String? = nil) -> OverlayRows {
        guard let slot = overlay.methods.prepare_addable_books else {
            return OverlayRows(rows: paths.map { _ in nil }, failure: notImplemented(.prepareAddableBooks))
        }
        let memory = CallMemory()
        let texts = memory.texts(paths)
        let place = folder ?? core.temporaryFolder
        return rows(.prepareAddableBooks, count: paths.count) { [core] instance, sink, error in
            core.pullFolder = PullFolder(parent: place)
            return withExtendedLifetime(memory) {
                withUnsafePointer(to: texts) { slot(instance, $0, sink, error) }
            }
        }
    }

    /// Removes what the last `prepareAddableBooks` fetched and nobody has moved away.
    package func discardFetched() { onThread { [core] in core.pullFolder = nil } }

    /// Hands the bytes of a book on, in order, on the device thread. Returns how many there were, and how many the overlay
    /// had announced, which are as many; nil if it announced nothing, as where it makes the file while it is sent.
    package func getFile(_ path: String, _ receive: @escaping (UnsafeRawBufferPointer) throws -> Void)
        throws(HostError) -> (count: UInt64, announced: UInt64?)
    {
        guard let slot = overlay.methods.get_file else { throw notImplemented(.getFile) }
        let frame = CallFrame(.getFile)
        let collector = BytesCollector(receive)
        frame.bytes = collector
        let memory = CallMemory()
        let text = memory.text(path)
        let sink = core.bytesSink()
        let outcome = perform(.getFile, frame) { instance, error in
            let status = withExtendedLifetime(memory) {
                withUnsafePointer(to: text) { text in
                    withUnsafePointer(to: sink) { slot(instance, text, $0, error) }
                }
            }
            if status == OVL_OK {
                do throws(ContractBreach) { try collector.checkComplete() } catch { frame.note(error) }
            }
            return status
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
        _ method: OverlayMethod, count: Int,
        _ body: (OpaquePointer, UnsafePointer<ovl_result_sink>, UnsafePointer<ovl_error_sink>) -> ovl_status
    ) -> OverlayRows {
        let frame = CallFrame(method)
        let collector = RowCollector(method, count: count) { [unowned core] id in core.fetchedFile(id) }
        frame.rows = collector
        let sink = core.resultSink()
        let outcome = perform(method, frame) { instance, error in
            let status = withUnsafePointer(to: sink) { body(instance, $0, error) }
            if status == OVL_OK {
                do throws(ContractBreach) { try collector.checkComplete() } catch { frame.note(error) }
            }
            return status
        }
        return OverlayRows(rows: collector.rows, failure: outcome.error)
    }
}

extension InstanceCore {
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
