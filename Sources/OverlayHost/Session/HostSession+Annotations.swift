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
        let words = MarkedWords(paths: request.paths)
        let fetches = fetching && loadedOverlay.methods.get_file != nil
        // The books whose files must be fetched, and the annotations that are already known.
        var (fetched, known): ([Int], [Int: PDFAnnotations]) = ([], [:])
        for (count, place) in places.enumerated() {
            try request.checkCancellation()
            link.progress.items(UInt64(count), of: UInt64(places.count), phase: nil)
            let book = books[place]
            if let file = try file(of: book) {
                defer { file.content.close() }
                let found = Result { () throws(HostError) in try Self.annotations(in: file.content) }
                if fetches, words.program != nil, case .success(let found) = found,
                    MarkedWords.areMissing(from: found.annotations)
                {
                    known[place] = found
                    fetched.append(place)
                } else {
                    annotations[place] = try taken(found, of: book)
                }
            } else if fetches {
                fetched.append(place)
            }
        }
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
                        return try Self.annotations(in: content)
                    }
                }
            annotations[place] = try taken(found, of: books[place])
            guard case .success(let found) = found else { return }
            for (mark, text) in try text(words, found, of: books[place], in: path) {
                guard var annotation = annotations[place]?[mark] else { continue }
                MarkedWords.add(text, to: &annotation)
                annotations[place]?[mark] = annotation
            }
        }
        return annotations
    }

    /// The words of highlights, by the indexes of these. If words cannot be read, `notice` is called.
    private func text(
        _ words: MarkedWords, _ found: PDFAnnotations, of book: BookRecord, in file: Result<String, HostError>
    ) throws(HostError) -> [Int: String] {
        guard MarkedWords.areMissing(from: found.annotations) else { return [:] }
        do throws(HostError) {
            return try words.read(found.annotations, of: try file.get(), request.cancellation)
        } catch {
            if [.cancelled, .deviceGone].contains(error.code) { throw settled(error) }
            request.notice?(
                "The marked words of '\(book.title ?? book.path)' could not be read: \(error.message)")
            return [:]
        }
    }

    private static func annotations(in content: OpenContent) throws(HostError) -> PDFAnnotations {
        do throws(PublicationError) {
            return try PDFAnnotations(from: content.source, name: content.name)
        } catch {
            throw HostError(error)
        }
    }

    /// The annotations in a book's file; nil if there are none. If a file cannot be read, `notice` is called. Throws
    /// only if the call was cancelled or the device is gone.
    private func taken(
        _ found: Result<PDFAnnotations, HostError>, of book: BookRecord
    ) throws(HostError) -> [Annotation]? {
        let title = book.title ?? book.path
        switch found {
        case .success(let found):
            if let first = found.shortcomings.first {
                request.notice?("Some annotations of '\(title)' may be missing: \(first.description)")
            }
            return found.annotations.isEmpty ? nil : found.annotations.map { Annotation($0) }
        case .failure(let error):
            if [.cancelled, .deviceGone].contains(error.code) { throw settled(error) }
            request.notice?("The annotations of '\(title)' could not be read: \(error.message)")
            return nil
        }
    }
}

extension Annotation {
    /// Converts an annotation of a PDF file.
    init(_ annotation: PDFAnnotation) {
        self.init(
            kind: annotation.kind == .highlight ? "highlight" : "note",
            location: "page \(annotation.page)", note: annotation.note, color: annotation.color,
            modified: annotation.modified, author: annotation.author)
    }
}
