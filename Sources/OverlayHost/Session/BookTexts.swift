import BookModel
import BookSearch
import Platform

/// Gives the texts inside the PDF files of an app to an index that lacks them: each file is fetched and read once. Used by the
/// thread of one search.
package final class BookTexts {
    private let session: HostSession
    private let program: PDFTextProgram
    /// Why it ended before all texts were read; nil if it did not.
    private(set) var failure: HostError?
    /// How many books could not be fetched or read, the first of them, and why; nil if all could.
    private(set) var unread: (count: Int, first: String, reason: String)?

    init(_ session: HostSession, _ program: PDFTextProgram) {
        self.session = session
        self.program = program
    }

    /// Fetches what the index lacks, reads it, and keeps its text.
    func complete(_ index: SearchIndex, _ books: [Book]) throws(SearchError) {
        (failure, unread) = (nil, nil)
        var files: [ExactText: (record: BookRecord, stamp: UInt64)] = [:]
        for book in books where PDFBooks.isReadable(book) {
            guard let path = book.path else { continue }
            files[ExactText(path)] = (BookRecord(path: path, book), Self.stamp(book))
        }
        let stamps = books.compactMap { book in
            book.path.flatMap { path in files[ExactText(path)].map { (id: path, stamp: $0.stamp) } }
        }
        let lacking = try index.withoutText(stamps).compactMap { files[ExactText($0)] }
        var problem: SearchError?
        do throws(HostError) {
            try session.eachFile(of: lacking.map(\.record), "Reading texts") {
                place, file throws(HostError) in
                guard problem == nil, let text = try text(of: file, lacking[place].record) else { return }
                do throws(SearchError) {
                    try index.keep(text, stamp: lacking[place].stamp, of: lacking[place].record.path)
                } catch {
                    problem = error
                }
            }
        } catch {
            failure = error
        }
        if let problem { throw problem }
    }

    /// The text of a file, empty if the file has none that can be read; nil if it may be read next time.
    private func text(
        of file: Result<String, HostError>, _ book: BookRecord
    ) throws(HostError) -> String? {
        do throws(HostError) {
            return try program.text(of: try file.get(), session.request.cancellation)
        } catch {
            guard error.code != .cancelled else { throw error }
            let first = unread ?? (0, book.title ?? book.path, error.message)
            unread = (first.count + 1, first.first, first.reason)
            if case .success = file, error.code == .rejected { return "" }
            return nil
        }
    }

    /// A number that changes when the book's file does.
    private static func stamp(_ book: Book) -> UInt64 {
        var hash = FNV1a()
        for part in ["\(book.size ?? 0)", "\(book.dateAdded ?? 0)", book.contentID ?? ""] {
            hash.add(part.utf8)
            hash.add(0)
        }
        return hash.value
    }
}
