import OverlayKit

/// Brings Marvin's database to the host without tearing it.
///
/// Marvin may write while the files are read. What is copied is therefore looked at before and after: sizes, times and
/// the heads of the files, for on the older file system times have whole seconds only. If anything differs the copy is
/// made again. With a write-ahead log, both files belong together: SQLite on the host takes the committed pages of the
/// log over. A rollback journal that is in use means that a transaction is half way through the main file; that is
/// waited for. Journals themselves are never copied, because SQLite would act on file names written in them.
struct LibraryCopy {
    /// How often a copy is made before it counts as hopeless.
    private static let attempts = 8
    /// Larger files are no library.
    private static let largest: UInt64 = 4 << 30
    /// Left free on this computer beside the copy.
    private static let reserve: UInt64 = 16 << 20

    /// The copy's main file; the log lies beside it, as SQLite expects.
    let path: String
    /// Bytes of the copied files.
    let size: UInt64
    private let folder: ScratchFolder

    /// What the library was when it was copied.
    let mark: LibraryMark

    /// Copies the database.
    ///
    /// - Parameters:
    ///   - known: what the library was when it was looked at just before; saves a look.
    ///   - free: bytes that are free where the copy is made; another answer only in tests.
    /// - Throws: `notFound` when there is none, `busy` when it never holds still, `noSpace` when this computer has no room
    ///   for it, before anything is fetched, and what the transport throws.
    init(
        _ device: MarvinDevice, known: LibraryMark? = nil,
        free: (ScratchFolder) throws(OverlayError) -> UInt64 = { (folder) throws(OverlayError) in
            try folder.freeSpace()
        }
    ) throws(OverlayError) {
        let (cancellation, library) = (device.host.cancellation, device.paths.library)
        let folder = try ScratchFolder()
        self.folder = folder
        path = folder.file("library.sqlite")
        for attempt in 0..<Self.attempts {
            if attempt > 0 { try cancellation.wait(for: .milliseconds(20 << attempt)) }
            let before: LibraryMark
            if attempt == 0, let known { before = known } else { before = try LibraryMark.take(device).mark }
            guard let mainSize = before.sizes[0] else { throw .noLibrary(library) }
            let logSize = before.sizes[1] ?? 0
            guard mainSize <= Self.largest, logSize <= Self.largest else {
                throw OverlayError(.damaged, "Marvin's library is impossibly large.", subject: library)
            }
            if before.hasActiveJournal { continue }
            // What an earlier attempt fetched makes room first.
            for name in ["library.sqlite", "library.sqlite-wal"] { try folder.remove(name) }
            try Self.requireRoom(mainSize, logSize, try free(folder), folder)
            guard try Self.fetch(device, library, folder, "library.sqlite", mainSize),
                try Self.fetch(device, library + "-wal", folder, "library.sqlite-wal", logSize),
                try LibraryMark.take(device).mark == before
            else { continue }
            if before.isEmptied {
                throw OverlayError(
                    .damaged, "Marvin's library is empty.", subject: library, hint: MarvinHint.damaged)
            }
            size = mainSize + logSize
            mark = before
            return
        }
        throw OverlayError(
            .busy, "Marvin keeps writing to its library.", subject: library, hint: MarvinHint.busy,
            retryable: true)
    }

    /// SQLite may write the log's pages into the main file, too.
    private static func requireRoom(
        _ main: UInt64, _ log: UInt64, _ free: UInt64, _ folder: ScratchFolder
    ) throws(OverlayError) {
        let needed = main + 2 * log + reserve
        guard needed > free else { return }
        throw OverlayError(
            .noSpace,
            "A copy of Marvin's library needs \(megabytes(needed)) for a moment, and only \(megabytes(free)) are free there.",
            subject: folder.parent,
            hint:
                "Free some space on this computer, or name another folder with the environment variable TMPDIR."
        )
    }

    private static func megabytes(_ bytes: UInt64) -> String { "\((bytes + 999_999) / 1_000_000) MB" }

    /// Copies one file; false when it turned out to be of another size.
    private static func fetch(
        _ device: MarvinDevice, _ remote: String, _ folder: ScratchFolder, _ name: String, _ size: UInt64
    ) throws(OverlayError) -> Bool {
        guard size > 0 || name == "library.sqlite" else {
            try folder.remove(name)
            return true
        }
        do {
            return try folder.write(name) { take throws(OverlayError) in
                try device.host.transport.read(device.root, remote, offset: 0, length: size) {
                    chunk, _, _ throws(OverlayError) in
                    try take(chunk)
                }
            } == size
        } catch {
            if error.status == .notFound { return false }
            throw error
        }
    }
}
