import BookModel
import BookSearch
import Platform

/// Adds missing texts of an app's PDF files to an index. Each file is fetched and read once. For use by the thread of
/// one search.
package final class BookTexts {
    private let session: HostSession
    private let program: PDFTextProgram
    /// The error that ended the reading early; nil if all texts were read.
    private(set) var failure: HostError?
    /// A sentence that explains why not all missing texts are searched, if the index is the cause; otherwise nil.
    private(set) var shortcoming: String?
    /// The number of books that could not be fetched or read, the first of them, and the reason; nil if all were
    /// read.
    private(set) var unread: (count: Int, first: String, reason: String)?

    /// The largest size of the texts in an index in memory, in bytes.
    static let mostInMemory = 64 << 20

    init(_ session: HostSession, _ program: PDFTextProgram) {
        self.session = session
        self.program = program
    }

    /// Fetches the missing files, reads them, and stores their text. After a failure this does nothing, and the index
    /// is searched as it is.
    ///
    /// - Throws: an error if the index is damaged.
    func complete(_ index: SearchIndex, _ books: AnyRandomAccessCollection<Book>) throws(SearchError) {
        guard failure == nil, shortcoming == nil else { return }
        unread = nil
        do throws(SearchError) {
            try fill(index, books)
        } catch {
            shortcoming = "Some PDF files were not searched: \(error.message)"
            // A damaged index is rebuilt. After other errors, the search continues with what the index has.
            if error.code == .damaged { throw error }
        }
    }

    private func fill(_ index: SearchIndex, _ books: AnyRandomAccessCollection<Book>) throws(SearchError) {
        let papers = try lacking(in: index, books)
        var problem: SearchError?
        var bytes = 0
        var gathered = GatheredText()
        do throws(HostError) {
            try session.eachFile(of: papers.lazy.map(\.record), "Reading texts") {
                place, file throws(HostError) in
                let paper = papers[place]
                gathered.add(try text(of: file, paper.record), of: paper.book)
                guard let whole = gathered.text(of: paper.book, papers: paper.count) else { return }
                bytes += whole.text.utf8.count
                guard !index.isInMemory || bytes <= Self.mostInMemory else {
                    shortcoming =
                        "Some PDF files were not searched, because no index is kept on this computer and "
                        + "the memory for texts is limited to \(Self.mostInMemory >> 20) MiB."
                    throw Self.end
                }
                // Index the known text of a book with a missing paper, and read it again next time.
                do throws(SearchError) {
                    try index.keep(
                        whole.text, stamp: whole.isComplete ? paper.stamp : ~paper.stamp, of: paper.book)
                } catch {
                    problem = error
                    throw Self.end
                }
            }
        } catch {
            if problem == nil, shortcoming == nil { failure = error }
        }
        if let problem { throw problem }
    }

    /// A PDF file of a book whose text the index does not have.
    private struct Paper {
        /// The path of the book.
        var book: String
        /// The number of PDF files of the book.
        var count: Int
        /// A number that changes with any of these files.
        var stamp: UInt64
        var record: BookRecord
    }

    /// Ends the fetching when the index is full. Not reported.
    private static let end = HostError(.failed, "The search index is full.")

    /// The PDF files of the books whose texts the index does not have, grouped by book.
    private func lacking(
        in index: SearchIndex, _ books: AnyRandomAccessCollection<Book>
    ) throws(SearchError) -> [Paper] {
        let readable = books.lazy.compactMap { book -> (id: String, stamp: UInt64)? in
            let papers = PDFBooks.papers(of: book)
            return papers.isEmpty ? nil : (book.path ?? "", Self.stamp(book, papers))
        }
        let lacking = Set(try index.withoutText(readable).map(ExactText.init))
        guard !lacking.isEmpty else { return [] }
        return books.flatMap { book -> [Paper] in
            guard let path = book.path, lacking.contains(ExactText(path)) else { return [] }
            let papers = PDFBooks.papers(of: book)
            let stamp = Self.stamp(book, papers)
            return papers.map { Paper(book: path, count: papers.count, stamp: stamp, record: $0) }
        }
    }

    /// The text of a file; empty if the file has no readable text; nil if it should be read again next time.
    ///
    /// - Throws: an error that affects all files, such as a program that cannot be started.
    private func text(
        of file: Result<String, HostError>, _ book: BookRecord
    ) throws(HostError) -> String? {
        do throws(HostError) {
            return try program.text(of: try file.get(), session.request.cancellation)
        } catch {
            var isFetched = false
            if case .success = file { isFetched = true }
            guard error.code != .cancelled, !(isFetched && error.code == .failed) else { throw error }
            let first = unread ?? (0, book.title ?? book.path, error.message)
            unread = (first.count + 1, first.first, first.reason)
            return isFetched && [.rejected, .timedOut].contains(error.code) ? "" : nil
        }
    }

    /// A number that changes with any of the book's files.
    private static func stamp(_ book: Book, _ papers: [BookRecord]) -> UInt64 {
        var hash = FNV1a()
        var parts = ["\(book.size ?? 0)", "\(book.dateAdded ?? 0)", book.contentID ?? ""]
        if papers.count > 1 || papers.first?.path != book.path {
            parts += (ReferenceValues(book).files ?? []).flatMap { [$0.path ?? "", $0.mark] }
        }
        for part in parts {
            hash.add(part.utf8)
            hash.add(0)
        }
        return hash.value
    }
}

/// Collects the texts of the PDF files of one book at a time.
private struct GatheredText {
    /// The largest size of the text of one book, in bytes.
    private static let most = 8 << 20

    private var book = ""
    private var texts: [String?] = []

    /// Adds the text of a file; nil if it is not available.
    mutating func add(_ text: String?, of book: String) {
        if !book.utf8.elementsEqual(self.book.utf8) { (self.book, texts) = (book, []) }
        texts.append(text)
    }

    /// The text of a book after the texts of all its files were added; nil if there is none.
    func text(of book: String, papers: Int) -> (text: String, isComplete: Bool)? {
        let known = texts.compactMap { $0 }
        guard texts.count == papers, !known.isEmpty else { return nil }
        var (text, bytes) = ("", 0)
        for part in known {
            bytes += part.utf8.count
            guard bytes <= Self.most else { break }
            text += text.isEmpty ? part : "\n\n" + part
        }
        return (text, known.count == papers)
    }
}
