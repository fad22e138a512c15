import OverlayABI
import BookModel
import Publications

extension HostSession {
    /// Lists every book with its annotations, or without annotations if these cannot be read.
    ///
    /// - Returns: the books, and the reason why their annotations are unknown; nil if they are known.
    func booksWithReadableAnnotations() throws(HostError) -> (books: BookList, unread: HostError?) {
        do throws(HostError) {
            return (books: try books(withAnnotations: true), unread: nil)
        } catch {
            guard Self.mayBeOfAnnotations(error) else { throw error }
            return (books: try books(), unread: error)
        }
    }

    /// Whether books might be listed without annotations after this error of listing them with annotations.
    static func mayBeOfAnnotations(_ error: HostError) -> Bool {
        [.failed, .accessRefused, .deviceIO, .protocolError, .damaged, .verificationFailed, .busy]
            .contains(error.code)
    }

    /// Returns books with their annotations. For books without annotations from the overlay, reads those in their PDF
    /// files.
    ///
    /// A file at the book's path is read by ranges; other files are fetched. Files with highlights that have no text
    /// are also fetched, and `pdftotext`, if installed, reads their words from the page. The request's `notice` is
    /// called for books that cannot be read.
    ///
    /// - Parameters:
    ///   - books: some of the books that `books(withAnnotations:)` returned.
    ///   - fetching: whether to fetch files.
    /// - Throws: errors that end the session, such as `cancelled` and `deviceGone`.
    public func readingPDFAnnotations(
        of books: [BookRecord], fetching: Bool = true
    ) throws(HostError) -> [BookRecord] {
        var books = books
        for (place, annotations) in try pdfAnnotations(of: books, fetching: fetching) {
            books[place].annotations = annotations
        }
        return books
    }

    /// Returns the books of a list that have annotations, including those in PDF files, as `readingPDFAnnotations`
    /// reads them.
    ///
    /// - Parameter list: the result of `books(withAnnotations:)`.
    /// - Throws: errors that end the session, such as `cancelled` and `deviceGone`.
    public func annotatedBooks(of list: BookList) throws(HostError) -> [BookRecord] {
        let found = try pdfAnnotations(of: list, fetching: true)
        var books: [BookRecord] = []
        for (place, book) in list.enumerated() {
            var book = book
            if let annotations = found[place] { book.annotations = annotations }
            if !book.annotations.isEmpty { books.append(book) }
        }
        return books
    }

    /// The annotations in PDF files of books without annotations from the overlay, by the indexes of the books.
    private func pdfAnnotations<Books: RandomAccessCollection<BookRecord>>(
        of books: Books, fetching: Bool
    ) throws(HostError) -> [Int: [Annotation]] where Books.Index == Int {
        let places = books.indices.filter { place in
            let book = books[place]
            return book.annotations.isEmpty && PDFBooks.isReadable(book.book)
        }
        var annotations: [Int: [Annotation]] = [:]
        guard !places.isEmpty else { return annotations }
        link.progress.begin("Reading annotations", items: UInt64(places.count), counting: [.read])
        let highlights = PDFHighlights(request)
        let fetches = fetching && loadedOverlay.methods.get_file != nil
        // The books whose files must be fetched, and the annotations that are already known.
        var (fetched, known): ([Int], [Int: PDFAnnotations]) = ([], [:])
        var lacksProgram = false
        for (count, place) in places.enumerated() {
            try request.checkCancellation()
            link.progress.items(UInt64(count), of: UInt64(places.count), phase: nil)
            let book = books[place]
            if let file = try file(of: book) {
                defer { file.content.close() }
                let found = Result { () throws(HostError) in try highlights.annotations(in: file.content) }
                if fetches, case .success(let found) = found, highlights.lacksProgram(for: found) {
                    lacksProgram = true
                }
                if fetches, highlights.words.program != nil, case .success(let found) = found,
                    MarkedWords.areMissing(from: found.annotations)
                {
                    known[place] = found
                    fetched.append(place)
                } else {
                    annotations[place] = try taken(found, of: book, highlights)
                }
            } else if fetches {
                fetched.append(place)
            }
        }
        defer { if lacksProgram { highlights.reportMissingProgram() } }
        guard !fetched.isEmpty else { return annotations }
        try eachFile(of: fetched.lazy.map { books[$0] }, "Reading annotations") {
            number, path throws(HostError) in
            let place = fetched[number]
            let found =
                known[place].map { .success($0) }
                ?? path.flatMap { path in
                    Result { () throws(HostError) in
                        let content = try OpenContent(path: path)
                        defer { content.close() }
                        return try highlights.annotations(in: content)
                    }
                }
            annotations[place] = try taken(found, of: books[place], highlights)
            guard case .success(let found) = found else { return }
            if highlights.lacksProgram(for: found) { lacksProgram = true }
            var texts: [Int: String] = [:]
            do throws(HostError) {
                texts = try highlights.texts(found, in: path.get())
            } catch {
                if [.cancelled, .deviceGone].contains(error.code) { throw settled(error) }
                highlights.report(unreadWords: error, Self.title(of: books[place]))
            }
            for (mark, text) in texts {
                guard var annotation = annotations[place]?[mark] else { continue }
                MarkedWords.add(text, to: &annotation)
                annotations[place]?[mark] = annotation
            }
        }
        return annotations
    }

    private static func title(of book: BookRecord) -> String { book.title ?? book.path }

    /// The annotations in a book's file; nil if there are none. Throws only if the call was cancelled or the device is
    /// gone.
    private func taken(
        _ found: Result<PDFAnnotations, HostError>, of book: BookRecord, _ highlights: PDFHighlights
    ) throws(HostError) -> [Annotation]? {
        switch found {
        case .success(let found):
            let annotations = highlights.annotations(found, Self.title(of: book))
            return annotations.isEmpty ? nil : annotations
        case .failure(let error):
            if [.cancelled, .deviceGone].contains(error.code) { throw settled(error) }
            highlights.report(error, Self.title(of: book))
            return nil
        }
    }
}
