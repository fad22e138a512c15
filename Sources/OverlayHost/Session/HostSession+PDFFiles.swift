/// Which books are PDF files, and their files.
enum PDFBooks {
    /// Larger files are not fetched, bytes.
    static let largest: UInt64 = 512 << 20
    /// Files that are fetched together, so that few are on this computer at once.
    static let together = 16
    /// Bytes of files that are fetched together, about; a book of unknown size is fetched alone.
    static let bytesTogether: UInt64 = 256 << 20

    /// The books from a place on that are fetched together, at least one.
    static func batch<Books: RandomAccessCollection<BookRecord>>(
        of books: Books, from start: Int
    ) -> [BookRecord] where Books.Index == Int {
        var batch: [BookRecord] = []
        var bytes: UInt64 = 0
        for book in books[(books.startIndex + start)...].prefix(together) {
            let (sum, isTooMuch) = bytes.addingReportingOverflow(book.size ?? bytesTogether)
            guard batch.isEmpty || !isTooMuch && sum <= bytesTogether else { break }
            batch.append(book)
            guard book.size != nil else { break }
            bytes = sum
        }
        return batch
    }

    /// The PDF files of a book that are fetched for what is in them: its own, and the further papers of a reference.
    static func papers(of book: Book) -> [BookRecord] {
        guard let path = book.path else { return [] }
        return ReferenceValues.files(of: BookRecord(path: path, book)).filter { isReadable($0.book) }
    }

    /// Whether a book is a PDF file that is fetched for what is in it.
    static func isReadable(_ book: Book) -> Bool {
        guard book.size ?? 0 <= largest else { return false }
        return book.format.map { $0.prefix { $0 != ";" } == "application/pdf" }
            ?? (LocalBook.fileExtension(of: book.path ?? "") == "pdf")
    }
}

extension HostSession {
    /// Fetches books, a few at a time, and hands on the path of each file, which is removed afterwards.
    ///
    /// - Parameters:
    ///   - books: the books.
    ///   - phase: what the files are fetched for, for progress.
    ///   - take: gets the place of a book and its file, or why there is none. Throws to end it.
    /// - Throws: what ended it.
    func eachFile<Books: RandomAccessCollection<BookRecord>>(
        of books: Books, _ phase: String,
        _ take: (Int, Result<String, HostError>) throws(HostError) -> Void
    ) throws(HostError) where Books.Index == Int {
        var start = 0
        while start < books.count {
            let some = PDFBooks.batch(of: books, from: start)
            defer { start += some.count }
            let sizes = some.compactMap(\.size)
            link.progress.begin(
                phase, items: UInt64(some.count),
                bytes: sizes.count == some.count ? sizes.reduce(0) { $0 &+ $1 } : nil,
                counting: [.pull, .read])
            var problem: HostError?
            let ended = fetch(some, in: request.paths.temporary) { place, answer in
                guard problem == nil else { return }
                do throws(HostError) {
                    try request.checkCancellation()
                    try take(start + place, answer.map(\.path).mapError(\.error))
                } catch {
                    problem = error
                }
            }
            if let error = problem ?? ended { throw settled(error) }
        }
    }
}

extension UnfetchedBook {
    fileprivate var error: HostError {
        HostError(row.code ?? .failed, row.message ?? "The book could not be fetched.", hint: row.hint)
    }
}
