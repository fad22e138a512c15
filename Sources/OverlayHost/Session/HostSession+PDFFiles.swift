/// Selects the PDF files of books.
enum PDFBooks {
    /// The largest file that is fetched, in bytes.
    static let largest: UInt64 = 512 << 20
    /// The number of files that are fetched together. Limits the files that are on the host at the same time.
    static let together = 16
    /// The approximate number of bytes that are fetched together. A book of unknown size is fetched alone.
    static let bytesTogether: UInt64 = 256 << 20

    /// The books from an index that are fetched together; at least one.
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

    /// The PDF files of a book that are fetched for their content: its own, and the additional papers of a reference.
    static func papers(of book: Book) -> [BookRecord] {
        guard let path = book.path else { return [] }
        return ReferenceValues.files(of: BookRecord(path: path, book)).filter { isReadable($0.book) }
    }

    /// Whether a book is a PDF file that is fetched for its content.
    static func isReadable(_ book: Book) -> Bool { book.size ?? 0 <= largest && isPDF(book) }

    /// Whether a book is a PDF file.
    static func isPDF(_ book: Book) -> Bool {
        book.format.map { $0.prefix { $0 != ";" } == "application/pdf" }
            ?? (LocalBook.fileExtension(of: book.path ?? "") == "pdf")
    }
}

extension HostSession {
    /// Fetches books, a few at a time, and passes the path of each file to `take`. The file is removed afterwards.
    ///
    /// - Parameters:
    ///   - books: the books.
    ///   - phase: the name of the progress phase.
    ///   - take: receives the index of a book and its file, or the reason why there is none. Throws an error to stop.
    /// - Throws: the error that stopped the fetch.
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
        HostError(
            row.code ?? .failed, row.message ?? "The book could not be fetched.", hint: row.hint,
            hintCode: row.hintCode)
    }
}
