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
    /// Why the texts that the index lacks are not all searched, as a sentence; nil if that is not the index's fault.
    private(set) var shortcoming: String?
    /// How many books could not be fetched or read, the first of them, and why; nil if all could.
    private(set) var unread: (count: Int, first: String, reason: String)?

    /// Bytes of text that an index in memory takes.
    static let mostInMemory = 64 << 20

    init(_ session: HostSession, _ program: PDFTextProgram) {
        self.session = session
        self.program = program
    }

    /// Fetches what the index lacks, reads it, and keeps its text. After a failure it does nothing: the next index is searched as
    /// it is.
    ///
    /// - Throws: damage of the index.
    func complete(_ index: SearchIndex, _ books: AnyRandomAccessCollection<Book>) throws(SearchError) {
        guard failure == nil, shortcoming == nil else { return }
        unread = nil
        do throws(SearchError) {
            try fill(index, books)
        } catch {
            shortcoming = "Not all texts of PDF files were searched: \(error.message)"
            // Damage is mended; with any other index of the same books the search can go on.
            if error.code == .damaged { throw error }
        }
    }

    private func fill(_ index: SearchIndex, _ books: AnyRandomAccessCollection<Book>) throws(SearchError) {
        let lacking = try lacking(in: index, books)
        let records = lacking.lazy.map { place in
            let book = books[books.index(books.startIndex, offsetBy: place)]
            return BookRecord(path: book.path ?? "", book)
        }
        var problem: SearchError?
        var bytes = 0
        do throws(HostError) {
            try session.eachFile(of: records, "Reading texts") { place, file throws(HostError) in
                let record = records[place]
                guard let text = try text(of: file, record) else { return }
                bytes += text.utf8.count
                guard !index.isInMemory || bytes <= Self.mostInMemory else {
                    shortcoming =
                        "Not all texts of PDF files were searched, because no index is kept on this computer and "
                        + "the memory for texts is limited to \(Self.mostInMemory >> 20) MiB."
                    throw Self.end
                }
                do throws(SearchError) {
                    try index.keep(text, stamp: Self.stamp(record.book), of: record.path)
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

    /// Ends the fetching where the index takes no more; not reported.
    private static let end = HostError(.failed, "The index takes no more texts.")

    /// The places of the PDF files whose texts an index lacks.
    private func lacking(
        in index: SearchIndex, _ books: AnyRandomAccessCollection<Book>
    ) throws(SearchError) -> [Int] {
        let readable = books.lazy.filter { PDFBooks.isReadable($0) && $0.path != nil }
        let lacking = Set(
            try index.withoutText(readable.map { (id: $0.path ?? "", stamp: Self.stamp($0)) }).map(
                ExactText.init))
        guard !lacking.isEmpty else { return [] }
        var places: [Int] = []
        for (place, book) in books.enumerated() where PDFBooks.isReadable(book) {
            if let path = book.path, lacking.contains(ExactText(path)) { places.append(place) }
        }
        return places
    }

    /// The text of a file, empty if the file has none that can be read; nil if it may be read next time.
    ///
    /// - Throws: what lets no other file be read, such as a program that cannot be started.
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
