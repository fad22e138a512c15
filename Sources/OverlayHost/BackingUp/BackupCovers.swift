import HostContent
import Libraries
import Publications

/// Finds the covers that the app lists in the copies of their books, so that the app is not asked for them. Any thread.
struct BackupCovers: Sendable {
    /// Bytes of copies of a batch that are read ahead: the device waits meanwhile, which large copies are not worth. Bytes of
    /// covers are fewer.
    private static let mostAhead: UInt64 = 16 << 20

    private let books: BookList
    private let steps: [BackupStep]

    init(_ books: BookList, _ steps: [BackupStep]) { (self.books, self.steps) = (books, steps) }

    /// Reads in the small copies of a batch what will be asked of them, checksums and covers, while the batch before is written
    /// down. What cannot be read says so when its turn comes.
    ///
    /// - Parameter withCovers: whether the app gives single covers.
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

    /// The arrival with the cover in its copy that has the type and size of the one that the app lists: the images are not
    /// compared, so another of the same type and size counts as the app's.
    func read(_ arrival: FetchedBackupFile) -> FetchedBackupFile {
        guard case .unread = arrival.coverInCopy, case .success(let copy)? = arrival.answer,
            let size = listedSize(arrival), let book = steps[arrival.step].book.map({ books[$0] })
        else { return arrival }
        var arrival = arrival
        arrival.coverInCopy = .read(
            Self.inFile(copy.path, of: book) {
                $0.mediaType.string == book.cover?.mediaType && $0.size == Int64(exactly: size)
            })
        return arrival
    }

    /// Bytes of the cover that the app lists of a book that came; nil if it lists none, or not its size.
    private func listedSize(_ arrival: FetchedBackupFile) -> UInt64? {
        guard arrival.paper == nil else { return nil }
        return steps[arrival.step].book.flatMap { books[$0].cover?.size }
    }

    /// The cover in a book's file; nil if that tells none, or another than is wanted.
    static func inFile(
        _ path: String, of book: BookRecord, isWanted: (Cover) -> Bool = { _ in true }
    ) -> [UInt8]? {
        do {
            let content = try OpenContent(path: path, name: FileName(book).text())
            defer { content.close() }
            guard let cover = try content.publication().cover, isWanted(cover) else { return nil }
            return [UInt8](try cover.read())
        } catch {
            // A book whose file tells no cover has none here.
            return nil
        }
    }
}
