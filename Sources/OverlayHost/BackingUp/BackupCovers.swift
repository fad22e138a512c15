import Formats
import HostContent
import Libraries
import Publications

/// Finds the app's covers in the copies of the books, so that the app need not send them. Any thread.
struct BackupCovers: Sendable {
    /// The bytes of copies that are read ahead for one batch. The device waits during this time, so large copies are
    /// not read ahead. Covers are smaller.
    private static let mostAhead: UInt64 = 16 << 20

    private let books: BookList
    private let steps: [BackupStep]

    init(_ books: BookList, _ steps: [BackupStep]) { (self.books, self.steps) = (books, steps) }

    /// Reads checksums and covers from the small copies of a batch, while the previous batch is written. Errors are
    /// reported when the copy is processed.
    ///
    /// - Parameter withCovers: whether the app provides individual covers.
    func readAhead(_ arrivals: [FetchedBackupFile], withCovers: Bool) -> [FetchedBackupFile] {
        var left = Self.mostAhead
        return arrivals.map { arrival in
            guard case .success(let copy)? = arrival.answer, copy.size <= left else { return arrival }
            left -= copy.size
            copy.readAhead()
            guard withCovers, let size = listedSize(arrival), size <= copy.size else { return arrival }
            return read(arrival)
        }
    }

    /// Adds the cover in the copy if it has the type and size of the cover that the app lists. The images are not
    /// compared, so another image with the same type and size counts as the app's cover.
    func read(_ arrival: FetchedBackupFile) -> FetchedBackupFile {
        guard case .unread = arrival.coverInCopy, case .success(let copy)? = arrival.answer,
            let size = listedSize(arrival), let book = steps[arrival.step].book.map({ books[$0] })
        else { return arrival }
        var arrival = arrival
        let listed = (book.cover?.mediaType, Int64(exactly: size))
        if let cover = copy.cover, (cover.mediaType, cover.size) == listed,
            let image = cover.read(from: copy.path)
        {
            arrival.coverInCopy = .read(image)
        } else {
            arrival.coverInCopy = .read(
                Self.inFile(copy.path, of: book) { ($0.mediaType.string, $0.size) == listed })
        }
        return arrival
    }

    /// The size of the listed cover of an arrived book; nil if the app does not list a cover or its size.
    private func listedSize(_ arrival: FetchedBackupFile) -> UInt64? {
        guard arrival.paper == nil else { return nil }
        return steps[arrival.step].book.flatMap { books[$0].cover?.size }
    }

    /// The cover in a book's file; nil if the file has no cover, or not the wanted one.
    static func inFile(
        _ path: String, of book: BookRecord, isWanted: (Cover) -> Bool = { _ in true }
    ) -> [UInt8]? {
        do {
            let content = try OpenContent(path: path, name: FileName(book).text())
            defer { content.close() }
            guard let cover = try content.publication().cover, isWanted(cover) else { return nil }
            return [UInt8](try cover.read())
        } catch {
            // A book whose file cannot be read counts as having no cover.
            return nil
        }
    }
}
