import Glibc
import Platform

extension HostSession {
    /// Copies books into `folder`, which is made if it is not there. One row per name, in their order; a row's `path` is
    /// the copy's. Nothing that is in the folder is overwritten.
    public func get(_ names: [String], to folder: String) -> BatchResult {
        do throws(HostError) {
            try require("get")
            var batch = NamedBooks(names, try find(names, unread: true))
            guard !batch.books.isEmpty else { return batch.result() }
            let output = try OutputFolder(folder)
            begin(batch.books)
            let failure: HostError?
            if link.target.overlay.methods.prepare_addable_books != nil {
                failure = fetchTogether(&batch, into: output)
            } else {
                failure = fetchOneByOne(batch.books.indices, &batch, into: output)
            }
            guard let failure else { return batch.result() }
            return batch.result(
                settled(failure),
                again: "Run the same command again; books already fetched are not fetched again.")
        } catch {
            return NamedBooks.failed(names, settled(error))
        }
    }

    private func begin(_ books: [BookRecord]) {
        let sizes = books.compactMap(\.size)
        let total = sizes.count == books.count ? sizes.reduce(0) { $0 &+ $1 } : nil
        link.progress.begin(
            "Fetching books", items: UInt64(books.count), bytes: total, counting: [.pull, .read])
    }

    private func fetchTogether(_ batch: inout NamedBooks, into output: OutputFolder) -> HostError? {
        let answer = link.instance.prepareAddableBooks(batch.paths, in: output.path)
        let alone = link.target.overlay.methods.get_file != nil
        var left: [Int] = []
        for (index, row) in answer.rows.enumerated() {
            guard let row else { continue }
            if row.code == .notSupported, alone {
                left.append(index)
                continue
            }
            guard row.outcome == .fetched, let file = row.file else {
                batch.set(index, ItemRow("", row))
                continue
            }
            batch.set(index, output.keep(file, as: batch.books[index], message: row.message))
        }
        link.instance.discardFetched()
        return answer.failure ?? fetchOneByOne(left, &batch, into: output)
    }

    private func fetchOneByOne(
        _ places: some Sequence<Int>, _ batch: inout NamedBooks, into output: OutputFolder
    ) -> HostError? {
        let cannot = link.target.overlay.methods.get_file == nil
        for index in places {
            let book = batch.books[index]
            do throws(HostError) {
                let file = try output.makePrivateFile()
                defer { file.discard() }
                let (count, announced) = try link.instance.getFile(book.path) { try file.append($0) }
                try file.finish()
                // Of a book that is put together on the way, the size on the device says nothing.
                if announced != nil, let size = book.size, size != count {
                    throw HostError(
                        .verificationFailed, "Received \(count) bytes instead of \(size).",
                        subject: book.path,
                        hint: "Try again. If it fails again, check the book in the reader app.")
                }
                batch.set(index, output.keep(file.path, as: book, message: nil))
            } catch {
                batch.set(index, ItemRow(item: "", failure: error))
                // What is wrong with one book says nothing about the next, unless nothing can go on.
                let ends: [HostError.Code] = [.cancelled, .deviceGone, .contractBroken, .overlayBroke]
                if cannot || ends.contains(error.code) { return error }
            }
            link.progress.items(UInt64(index + 1), of: UInt64(batch.books.count), phase: nil)
        }
        return nil
    }
}

/// The folder that fetched books go to. Names in it come from the host, after the books' titles.
struct OutputFolder {
    /// Where it is.
    let path: String

    /// The folder, made with those above it if it is not there.
    init(_ path: String) throws(HostError) {
        self.path = path.isEmpty ? "." : path
        try Self.make(self.path)
    }

    private static func make(_ path: String) throws(HostError) {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw HostError(
                    .outputNotCreated, "Cannot save books to \(path) because it is not a folder.",
                    subject: path,
                    hint: "Give a folder with -o. It is created if missing.")
            }
            return
        }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex { try make(String(path[..<slash])) }
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
            throw HostError(
                .outputNotCreated, "Cannot create the folder \(path): \(systemMessage(errno)).",
                subject: path,
                native: .posix(errno))
        }
    }

    /// Moves a fetched file to its name, and tells how that went.
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

    /// The book with the title that its file tells, if nothing else was known of it.
    private static func titled(_ book: BookRecord, by file: String) -> BookRecord {
        guard book.title == nil else { return book }
        do {
            let content = try OpenContent(path: file, name: OverlayPath.name(of: book.path))
            defer { content.close() }
            var book = book
            book.title = try content.publication().metadata.title
            return book
        } catch {
            // Then the book is called as its file on the device is.
            return book
        }
    }

    /// A file that other programs do not see until it is kept.
    func makePrivateFile() throws(HostError) -> PrivateFile { try PrivateFile(in: path) }
}
