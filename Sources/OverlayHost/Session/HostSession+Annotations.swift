import BookModel
import Publications

extension HostSession {
    /// Books with their annotations. For books without annotations from the overlay, those in their PDF files are read.
    ///
    /// A file at the book's path is read by ranges; others are fetched. So are those with highlights that have no text:
    /// `pdftotext`, if it is installed, reads their words from the page. The request's `notice` is called for books that cannot be
    /// read.
    ///
    /// - Parameters:
    ///   - books: some of what `books(withAnnotations:)` has returned.
    ///   - fetching: whether files are fetched.
    /// - Throws: what ends the session, such as `cancelled` and `deviceGone`.
    public func readingPDFAnnotations(
        of books: [BookRecord], fetching: Bool = true
    ) throws(HostError) -> [BookRecord] {
        var books = books
        for (place, annotations) in try pdfAnnotations(of: books, fetching: fetching) {
            books[place].annotations = annotations
        }
        return books
    }

    /// The books of a list that have annotations, also in their PDF files, as `readingPDFAnnotations` reads them.
    ///
    /// - Parameter list: what `books(withAnnotations:)` has returned.
    /// - Throws: what ends the session, such as `cancelled` and `deviceGone`.
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

    /// The annotations in PDF files, by the places of their books, which have none from the overlay.
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
        // Those whose files are fetched, and what is known of some of them already.
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

    /// The words of highlights, by the places of these. Words that cannot be read are a notice.
    private func text(
        _ words: MarkedWords, _ found: PDFAnnotations, of book: BookRecord, in file: Result<String, HostError>
    ) throws(HostError) -> [Int: String] {
        guard MarkedWords.areMissing(from: found.annotations) else { return [:] }
        do throws(HostError) {
            return try words.read(found.annotations, of: try file.get(), request.cancellation)
        } catch {
            if [.cancelled, .deviceGone].contains(error.code) { throw settled(error) }
            request.notice?(
                "The marked words of “\(book.title ?? book.path)” could not be read: \(error.message)")
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

    /// The annotations that were found in a book's file; nil if there are none. A file that cannot be read is a notice; only a
    /// cancelled call or a lost device is thrown.
    private func taken(
        _ found: Result<PDFAnnotations, HostError>, of book: BookRecord
    ) throws(HostError) -> [Annotation]? {
        let title = book.title ?? book.path
        switch found {
        case .success(let found):
            if let first = found.shortcomings.first {
                request.notice?("Some annotations of “\(title)” may be missing: \(first.description)")
            }
            return found.annotations.isEmpty ? nil : found.annotations.map { Annotation($0) }
        case .failure(let error):
            if [.cancelled, .deviceGone].contains(error.code) { throw settled(error) }
            request.notice?("The annotations of “\(title)” could not be read: \(error.message)")
            return nil
        }
    }
}

extension Annotation {
    /// What a person left in a PDF file.
    init(_ annotation: PDFAnnotation) {
        self.init(
            kind: annotation.kind == .highlight ? "highlight" : "note",
            location: "page \(annotation.page)", note: annotation.note, color: annotation.color,
            modified: annotation.modified, author: annotation.author)
    }
}
