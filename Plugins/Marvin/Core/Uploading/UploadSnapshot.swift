import BookFolders
import MarvinCommands
import OverlayKit

/// The state of a batch of books on the device, to find what Marvin has changed.
///
/// A book counts as added if its file is new and the library has it. Marvin's report alone does not prove either.
struct UploadSnapshot {
    private let device: MarvinDevice
    /// The files at the books' paths before, by item.
    private let before: [Int: FileInfo]

    /// Reads the state of the books' paths, with one request for all.
    init(_ device: MarvinDevice, before books: [LibraryUpload]) throws(OverlayError) {
        self.device = device
        let files = try device.files(books.map { device.paths.document($0.name) })
        var before: [Int: FileInfo] = [:]
        for (book, file) in zip(books, files) { before[book.index] = file }
        self.before = before
    }

    /// The results for the books, and the present library; nil if only names and UUIDs were read.
    ///
    /// Files that Marvin left in the staging folder are removed.
    func after(
        _ books: [LibraryUpload], _ outcome: CommandOutcome
    ) throws(OverlayError) -> (verdicts: [UploadVerdict], library: [[UInt8]: LibraryBook]?) {
        let staged = books.map { device.paths.staged($0.name) }
        let files = try device.files(books.map { device.paths.document($0.name) } + staged)
        let isWaiting = files.suffix(books.count).map { $0 != nil }
        if outcome.isCompleted { _ = device.withdraw(zip(staged, isWaiting).filter(\.1).map(\.0)) }
        // Marvin may spell a file name differently from the command, as file systems do.
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

    /// Whether the file at a book's path is the one that Marvin was given.
    private func isTaken(
        _ book: LibraryUpload, _ file: FileInfo, isWaiting: Bool, isRejected: Bool, _ outcome: CommandOutcome
    ) throws(OverlayError) -> Bool {
        guard try isNew(file, book) else { return false }
        let isWhole = !book.replaces && file.size == book.size
        // Without Marvin's report, only a complete file proves success. If there was a book before, nothing proves
        // it.
        guard outcome.isCompleted else { return isWhole }
        // A rejection may be a warning about a book that Marvin added nevertheless.
        guard !isRejected else { return isWhole && !isWaiting }
        // A staged file that still exists was not added, even if Marvin reports success, unless Marvin copied it.
        return isWhole || !isWaiting
    }

    /// Whether a file has changed. If Marvin left it unchanged, its size and times are the same. If times of whole
    /// seconds cannot show a change, the contents are compared.
    private func isNew(_ file: FileInfo, _ book: LibraryUpload) throws(OverlayError) -> Bool {
        let old = before[book.index]
        guard book.replaces || old != nil else { return true }
        guard file.size == book.size else { return false }
        guard let old, old.size == file.size, old.modified == file.modified, old.created == file.created
        else { return true }
        return try ContentComparison(device).isSameAsFarAsRead(book.file, book.size, book.name) == true
    }

    /// Finds books by UUID that Marvin stored under other names. A book that existed before is ignored, unless it has
    /// the new content.
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
            // If another book has the same UUID, the new file was not named after its UUID.
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
    /// The book is there, at this path.
    case there(String)
    /// Its file is among the documents, but Marvin's library does not have it.
    case unlisted
    case missing

    /// The path of the book; nil if it is not there.
    var path: String? {
        guard case .there(let path) = self else { return nil }
        return path
    }
}
