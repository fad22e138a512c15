import BookModel
import Publications

extension HostSession {
    /// Books with what people left in their PDF files, if the overlay tells nothing of them.
    ///
    /// A file at the book's path is read by ranges; others are fetched. `notice` of the request hears of those that cannot be read.
    ///
    /// - Parameters:
    ///   - books: what `books(withAnnotations:)` has returned, or some of it.
    ///   - fetching: whether files that cannot be read by ranges are fetched.
    /// - Throws: what ends the session, such as `cancelled` and `deviceGone`.
    public func readingPDFAnnotations(
        of books: some Sequence<BookRecord>, fetching: Bool = true
    ) throws(HostError) -> [BookRecord] {
        var books = Array(books)
        let places = books.indices.filter {
            books[$0].annotations.isEmpty && PDFBooks.isReadable(books[$0].book)
        }
        guard !places.isEmpty else { return books }
        link.progress.begin("Reading annotations", items: UInt64(places.count), counting: [.read])
        var elsewhere: [Int] = []
        for (count, place) in places.enumerated() {
            try request.checkCancellation()
            link.progress.items(UInt64(count), of: UInt64(places.count), phase: nil)
            if let file = try file(of: books[place]) {
                defer { file.content.close() }
                let found = Result { () throws(HostError) in try Self.annotations(in: file.content) }
                try take(found, for: &books[place])
            } else {
                elsewhere.append(place)
            }
        }
        guard fetching, !elsewhere.isEmpty, loadedOverlay.methods.get_file != nil else { return books }
        try eachFile(of: elsewhere.map { books[$0] }, "Reading annotations") {
            place, path throws(HostError) in
            let found = path.flatMap { path in
                Result { () throws(HostError) in
                    let content = try OpenContent(path: path)
                    defer { content.close() }
                    return try Self.annotations(in: content)
                }
            }
            try take(found, for: &books[elsewhere[place]])
        }
        return books
    }

    private static func annotations(in content: OpenContent) throws(HostError) -> PDFAnnotations {
        do throws(PublicationError) {
            return try PDFAnnotations(from: content.source, name: content.name)
        } catch {
            throw HostError(error)
        }
    }

    /// Gives a book its annotations. A file that cannot be read is a notice; only a cancelled call or a lost device is thrown.
    private func take(
        _ found: Result<PDFAnnotations, HostError>, for book: inout BookRecord
    ) throws(HostError) {
        let title = book.title ?? book.path
        switch found {
        case .success(let found):
            book.annotations = found.annotations.map { Annotation($0) }
            guard let first = found.shortcomings.first else { return }
            request.notice?("Some annotations of “\(title)” may be missing: \(first.description)")
        case .failure(let error):
            if [.cancelled, .deviceGone].contains(error.code) { throw settled(error) }
            request.notice?("The annotations of “\(title)” could not be read: \(error.message)")
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
