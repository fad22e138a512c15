import BookFolders
import CommandProtocol
import OverlayKit

/// A snapshot of a batch of books on the device, to tell what Marvin's work has changed.
///
/// A book is there if its file is a new one and the library knows about it. Marvin's report proves neither.
struct UploadSnapshot {
    private let device: MarvinDevice
    /// What was at the places of the books before, by item.
    private let before: [Int: FileInfo]

    /// Looks at the places of the books, with one request for all.
    init(_ device: MarvinDevice, before books: [LibraryUpload]) throws(OverlayError) {
        self.device = device
        let files = try device.files(books.map { device.paths.document($0.name) })
        var before: [Int: FileInfo] = [:]
        for (book, file) in zip(books, files) { before[book.index] = file }
        self.before = before
    }

    /// What has become of the books, and the library as it is now; nil: only names and uuids were read.
    ///
    /// What Marvin left in the staging folder is removed.
    func after(
        _ books: [LibraryUpload], _ outcome: CommandOutcome
    ) throws(OverlayError) -> (verdicts: [UploadVerdict], library: [[UInt8]: LibraryBook]?) {
        let staged = books.map { device.paths.staged($0.name) }
        let files = try device.files(books.map { device.paths.document($0.name) } + staged)
        let isWaiting = files.suffix(books.count).map { $0 != nil }
        if outcome.isCompleted { _ = device.withdraw(zip(staged, isWaiting).filter(\.1).map(\.0)) }
        // Marvin may spell the name of a file in another way than the command did, as a file system does.
        let sent = NameTable(books.map(\.name), by: { $0 })
        let rejected = Set(outcome.rejections.compactMap { $0.fileName.flatMap { sent[$0]?.bytes } })
        var isTaken: [Bool] = []
        for (index, book) in books.enumerated() {
            let isRejected = rejected.contains(book.name.bytes)
            let taken = try files[index].map { file throws(OverlayError) in
                try self.isTaken(book, file, isWaiting: isWaiting[index], isRejected: isRejected, outcome)
            }
            isTaken.append(taken ?? false)
        }
        guard outcome.isCompleted || isTaken.contains(true) else { return (books.map { _ in .missing }, [:]) }
        let isWhole = books.contains(where: \.isMoreThanItsFile) && device.interruption() == nil
        let library = try isWhole ? device.libraryBooks() : device.libraryNames()
        let listed = Dictionary(
            library.map { ($0.fileName.bytes, $0) }, uniquingKeysWith: { first, _ in first })
        let names = NameTable(library.map(\.fileName), by: { $0 })
        var verdicts = zip(books, isTaken).map { book, isTaken -> UploadVerdict in
            guard isTaken else { return .missing }
            return names[book.name].map { .there($0) } ?? .unlisted
        }
        if outcome.isCompleted {
            let open = books.indices.filter {
                verdicts[$0] == .missing && !isWaiting[$0] && !rejected.contains(books[$0].name.bytes)
            }
            for (index, path) in try renamed(open, books, library) { verdicts[index] = .there(path) }
        }
        return (verdicts, isWhole ? listed : nil)
    }

    /// Whether the file at a book's place is what Marvin was given.
    private func isTaken(
        _ book: LibraryUpload, _ file: FileInfo, isWaiting: Bool, isRejected: Bool, _ outcome: CommandOutcome
    ) throws(OverlayError) -> Bool {
        guard try isNew(file, book) else { return false }
        let isWhole = !book.replaces && file.size == book.size
        // Without Marvin's report only a whole file proves anything, and none where a book was before.
        guard outcome.isCompleted else { return isWhole }
        // A rejection may be a warning about a book that was taken nevertheless.
        guard !isRejected else { return isWhole && !isWaiting }
        // A staged file that still waits was not taken, even if Marvin reports success, unless Marvin copied it.
        return isWhole || !isWaiting
    }

    /// Whether a file has changed: a file that Marvin left alone keeps its size and its times. Times of
    /// whole seconds may tell nothing; then the content does.
    private func isNew(_ file: FileInfo, _ book: LibraryUpload) throws(OverlayError) -> Bool {
        let old = before[book.index]
        guard book.replaces || old != nil else { return true }
        guard file.size == book.size else { return false }
        guard let old, old.size == file.size, old.modified == file.modified, old.created == file.created
        else { return true }
        return try ContentComparison(device).isSameAsFarAsRead(book.file, book.size, book.name) == true
    }

    /// The books that Marvin keeps under other names than they were given, by their uuids; a book that was there before proves
    /// nothing about the new one, unless it has its content.
    private func renamed(
        _ open: [Int], _ books: [LibraryUpload], _ library: [LibraryBook]
    ) throws(OverlayError) -> [(Int, String)] {
        guard !open.isEmpty else { return [] }
        let byUUID = Dictionary(grouping: library.filter { $0.uuid != nil }) { $0.uuid?.lowercased() ?? "" }
        let names = Set(books.map(\.name.bytes))
        let candidates = open.flatMap { index in
            (byUUID[books[index].uuid.lowercased()] ?? [])
                .filter { !names.contains($0.fileName.bytes) }
                .filter { $0.fileName != books[index].present?.fileName }
                .map { (index, $0.fileName) }
        }
        var found: [(Int, String)] = []
        let files = try device.files(candidates.map { device.paths.document($0.1) })
        for ((index, name), file) in zip(candidates, files) where file != nil {
            let book = books[index]
            guard found.last?.0 != index else { continue }
            // Another book may have the same uuid; then the name tells that a new one did not get it.
            var isProof = book.present == nil && book.name.bytes == (book.uuid + ".epub").bytes
            if !isProof {
                isProof =
                    try ContentComparison(device).isSameAsFarAsRead(book.file, book.size, name) == true
            }
            if isProof { found.append((index, name)) }
        }
        return found
    }
}

/// Whether a book is on the device.
enum UploadVerdict: Equatable {
    /// It is, under that path.
    case there(String)
    /// Its file is among the documents, and Marvin's library does not know about it.
    case unlisted
    case missing

    /// Where the book is; nil: it is not there.
    var path: String? {
        guard case .there(let path) = self else { return nil }
        return path
    }
}
