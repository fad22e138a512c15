import Publications
import OverlayABI
import Glibc
import Platform

extension HostSession {
    /// Copies books into `folder`, which is created if it does not exist. Rows are in the order of the names, with
    /// several for a reference with several papers. The `path` of a row is that of the copy. Existing files are not
    /// overwritten.
    ///
    /// - Parameters:
    ///   - names: paths, uuids, titles, or cite keys.
    ///   - folder: the folder of the copies.
    ///   - naming: the accepted names.
    public func get(_ names: [String], to folder: String, by naming: BookNaming = .beginnings) -> BatchResult
    {
        get(names, to: folder, by: naming, leavesOutMissing: false)
    }

    /// Copies all books of the reader app into `folder`, like `get`. Skips references without a paper on the device.
    public func getAll(to folder: String) -> BatchResult {
        do throws(HostError) {
            return get(try books().map(\.path), to: folder, by: .paths, leavesOutMissing: true)
        } catch {
            return BatchResult(rows: [], failure: error)
        }
    }

    private func get(
        _ names: [String], to folder: String, by naming: BookNaming, leavesOutMissing: Bool
    ) -> BatchResult {
        do throws(HostError) {
            try require("get")
            var batch = NamedBooks(names, try find(names, unread: true, by: naming))
            var files: [(book: Int, record: BookRecord)] = []
            for (index, book) in batch.books.enumerated() {
                if leavesOutMissing, ReferenceValues(book.book).hasNoFile {
                    batch.set(index, ItemRow(item: "", status: .skipped, message: Self.noPaper))
                } else {
                    files += ReferenceValues.files(of: book).map { (index, $0) }
                }
            }
            guard !files.isEmpty else { return batch.result() }
            let output = try OutputFolder(folder)
            let records = files.map(\.record)
            begin(records)
            var unanswered = Set(files.indices)
            func isFirst(_ place: Int) -> Bool { place == 0 || files[place - 1].book != files[place].book }
            let failure = fetch(records, in: output.path) { place, answer in
                unanswered.remove(place)
                let row =
                    switch answer {
                    case .success(let file): output.keep(file.path, as: records[place], message: file.message)
                    case .failure(let failed): failed.row
                    }
                let index = files[place].book
                guard isFirst(place) else { return batch.add(index, row) }
                batch.set(index, row)
                request.reported?(batch.firstPlace(of: index), batch.row(index, row))
            }
            .map(settled)
            let again = "Run the same command again; books already fetched are not fetched again."
            // The batch provides the row of the book itself; add the rows of its additional papers.
            for place in unanswered.sorted() where !isFirst(place) {
                batch.add(
                    files[place].book, Self.unreported("", failure ?? NamedBooks.noResult, again: again))
            }
            return batch.result(failure, again: again)
        } catch {
            return NamedBooks.failed(names, settled(error))
        }
    }

    /// The reason why a reference is not copied with all books.
    static let noPaper = "None of its papers is on the device."

    /// Replaces each name that ends in a slash by the paths of the books in that folder of the device.
    public func expandingFolders(_ names: [String]) throws(HostError) -> [String] {
        guard names.contains(where: \.endsInSlash) else { return names }
        let paths = try books().map(\.path)
        return names.flatMap { name -> [String] in
            guard name.endsInSlash else { return [name] }
            // Only some apps use paths that begin with a slash.
            let folder = name.withoutFirstSlashes
            let found = paths.filter { $0.withoutFirstSlashes.utf8.starts(with: folder.utf8) }
            return found.isEmpty ? [name] : found
        }
    }

    /// Passes the content of one book to `receive`, in order, after the complete content was copied to the host.
    ///
    /// - Throws: an error if the book cannot be found or fetched, `invalidArgument` for a reference with several
    ///   papers, or the error of `receive`.
    public func get(
        _ name: String, _ receive: (UnsafeRawBufferPointer) throws(HostError) -> Void
    ) throws(HostError) {
        try require("get")
        guard let book = try find([name], unread: true, by: .beginnings).first else {
            throw HostError(.notFound, "No book has this path, uuid, title or cite key.", subject: name)
        }
        let found = try book.get()
        try requireOneFile(found)
        begin([found])
        var problem: HostError?
        let failure = fetch([found], in: request.paths.temporary) { _, answer in
            do throws(HostError) {
                switch answer {
                case .success(let file): try Self.read(file.path, receive)
                case .failure(let failed):
                    let row = failed.row
                    throw HostError(
                        row.code ?? .failed, row.message ?? "The book could not be fetched.", subject: name,
                        hint: row.hint, hintCode: row.hintCode, native: row.native)
                }
            } catch {
                problem = error
            }
        }
        if let error = problem ?? failure { throw settled(error) }
    }

    /// Throws an error for a reference with several papers, if one file is wanted.
    private func requireOneFile(_ book: BookRecord) throws(HostError) {
        let papers = (ReferenceValues(book.book).files ?? []).filter(\.isOnDevice).compactMap(\.path)
        guard ReferenceValues.files(of: book).count > 1 else { return }
        let named = papers.prefix(5).joined(separator: ", ") + (papers.count > 5 ? ", …" : "")
        throw HostError(
            .invalidArgument,
            "The reference has \(papers.count) papers, and only one file can be given: \(named).",
            subject: book.title ?? book.path, hint: "Copy all of them to a folder, with -o FOLDER.")
    }

    private static func read(
        _ path: String, _ receive: (UnsafeRawBufferPointer) throws(HostError) -> Void
    ) throws(HostError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw HostError(.hostIO, "Cannot read the fetched book: \(systemText(errno)).", subject: path)
        }
        defer { _ = Glibc.close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw HostError(
                    .hostIO, "Cannot read the fetched book: \(systemText(errno)).", subject: path)
            }
            if count == 0 { return }
            let result = buffer.withUnsafeBytes { bytes in
                Result { () throws(HostError) in
                    try receive(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                }
            }
            try result.get()
        }
    }

    private func begin(_ books: [BookRecord]) {
        let sizes = books.compactMap(\.size)
        let total = sizes.count == books.count ? sizes.reduce(0) { $0 &+ $1 } : nil
        link.progress.begin(
            "Fetching books", items: UInt64(books.count), bytes: total, counting: [.pull, .read])
    }

    /// Fetches books into private files, several at the same time if the overlay supports this.
    ///
    /// - Parameters:
    ///   - folder: a folder on the file system of the final place. Only a private folder is visible in it.
    ///   - keep: called with the file of a book, which is removed unless it is moved, or with the reason why there is
    ///     none. If the fetch ends early, it is not called for books without a result.
    /// - Returns: the error if the fetch ended early; otherwise nil.
    func fetch(
        _ books: [BookRecord], in folder: String, _ keep: (Int, Result<FetchedBook, UnfetchedBook>) -> Void
    ) -> HostError? {
        guard link.target.overlay.methods.prepare_addable_books != nil else {
            return fetchOneByOne(books.indices, books, in: folder, keep)
        }
        let answer = link.instance.prepareAddableBooks(
            books.map(\.path), sizes: books.map(\.size), in: folder)
        let alone = link.target.overlay.methods.get_file != nil
        var left: [Int] = []
        for (index, row) in answer.rows.enumerated() {
            guard let row else { continue }
            if row.code == .notSupported, alone {
                left.append(index)
            } else if row.outcome == .fetched, let file = row.file {
                keep(index, .success(FetchedBook(path: file, message: row.message)))
            } else {
                keep(index, .failure(UnfetchedBook(row: ItemRow("", row))))
            }
        }
        link.instance.discardFetched()
        return answer.failure ?? fetchOneByOne(left, books, in: folder, keep)
    }

    private func fetchOneByOne(
        _ places: some Sequence<Int>, _ books: [BookRecord], in folder: String,
        _ keep: (Int, Result<FetchedBook, UnfetchedBook>) -> Void
    ) -> HostError? {
        let cannot = link.target.overlay.methods.get_file == nil
        for index in places {
            let book = books[index]
            do throws(HostError) {
                let file = try PrivateFile(in: folder, for: .result)
                defer { file.discard() }
                let (count, announced) = try link.instance.getFile(book.path) { try file.append($0) }
                try file.finish()
                // The size of a book that is packed while it is fetched may differ, but it is not empty.
                if let size = book.size, size != count, announced != nil || count == 0 {
                    throw HostError(
                        .verificationFailed, "Received \(count) bytes instead of \(size).",
                        subject: book.path,
                        hint: "Try again. If it fails again, check the book in the reader app.")
                }
                keep(index, .success(FetchedBook(path: file.path, message: nil)))
            } catch {
                keep(index, .failure(UnfetchedBook(row: ItemRow(item: "", failure: error))))
                // Continue with the next book, unless the error affects all books.
                let ends: [HostError.Code] = [.cancelled, .deviceGone, .contractBroken, .overlayBroke]
                if cannot || ends.contains(error.code) { return error }
            }
            link.progress.items(UInt64(index + 1), of: UInt64(books.count), phase: nil)
        }
        return nil
    }
}

/// A book that was fetched.
struct FetchedBook {
    /// The private file, which is removed unless it is moved.
    var path: String
    /// An additional message of the reader app.
    var message: String?
}

/// The row of a book that could not be fetched.
struct UnfetchedBook: Error { var row: ItemRow }

/// The folder for fetched books. The host creates the names in it from the titles of the books.
struct OutputFolder {
    /// The path of the folder.
    let path: String

    /// Creates the folder and its parents if necessary.
    init(_ path: String) throws(HostError) {
        self.path = path.isEmpty ? "." : path
        let code = makeFolders(self.path, mode: 0o777)
        guard code != ENOTDIR else {
            throw HostError(
                .outputNotCreated, "Cannot save books to \(self.path) because it is not a folder.",
                subject: self.path, hint: "Give a folder with -o. It is created if missing.")
        }
        guard code == 0 else {
            throw HostError(
                .outputNotCreated, "Cannot create the folder \(self.path): \(systemText(code)).",
                subject: self.path, native: .posix(code))
        }
        // Check that the folder is writable, so that the error is not attributed to the overlay.
        let probe = PullFolder(parent: self.path)
        defer { probe.remove() }
        _ = try probe.newPath()
    }

    /// Moves a fetched file to its final name, and returns the result.
    func keep(_ file: String, as book: BookRecord, message: String?) -> ItemRow {
        do throws(HostError) {
            let placed = try FileName.place(file, in: path, FileName(Self.titled(book, by: file)))
            let words = [message, placed.note].compactMap { $0 }
            return ItemRow(
                item: "", path: placed.path, status: .fetched,
                message: words.isEmpty ? nil : words.joined(separator: " "))
        } catch {
            return ItemRow(item: "", failure: error)
        }
    }

    /// The book with the title from its file, if its title is unknown.
    private static func titled(_ book: BookRecord, by file: String) -> BookRecord {
        guard book.title == nil else { return book }
        do {
            let content = try OpenContent(path: file, name: OverlayPath.name(of: book.path))
            defer { content.close() }
            var book = book
            book.title = try content.publication().metadata.title
            return book
        } catch {
            // The book keeps the name of its file on the device.
            return book
        }
    }
}
