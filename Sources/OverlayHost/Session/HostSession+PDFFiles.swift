/// Which books are PDF files, and their files.
enum PDFBooks {
    /// Larger files are not fetched, bytes.
    static let largest: UInt64 = 512 << 20
    /// Files that are fetched together, so that few are on this computer at once.
    static let together = 16

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
    func eachFile(
        of books: [BookRecord], _ phase: String,
        _ take: (Int, Result<String, HostError>) throws(HostError) -> Void
    ) throws(HostError) {
        for start in stride(from: 0, to: books.count, by: PDFBooks.together) {
            let some = Array(books[start..<min(start + PDFBooks.together, books.count)])
            let sizes = some.compactMap(\.size)
            link.progress.begin(
                phase, items: UInt64(some.count),
                bytes: sizes.count == some.count ? sizes.reduce(0) { $0 &+ $1 } : nil,
                counting: [.pull, .read])
            var problem: HostError?
            let ended = fetch(some, in: request.temporaryFolder) { place, answer in
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
