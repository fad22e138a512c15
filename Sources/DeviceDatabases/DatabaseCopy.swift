import OverlayKit

/// Brings a database of an app to the host without tearing it.
///
/// The app may write while the files are read. What is copied is therefore looked at before and after: sizes, times and
/// the heads of the files, for on the older file system times have whole seconds only. If anything differs the copy is
/// made again. With a write-ahead log, both files belong together: SQLite on the host takes the committed pages of the
/// log over. A rollback journal that is in use means that a transaction is half way through the main file; that is
/// waited for. If nothing changes meanwhile, its program has ended: then the journal is copied after the main file, and
/// SQLite on the host undoes the transaction in the copy. A journal that names another file is never copied, because
/// SQLite would act on that name.
public struct DatabaseCopy {
    /// How often a copy is made before it counts as hopeless.
    private static let attempts = 8
    /// Left free on this computer beside the copy.
    private static let reserve: UInt64 = 16 << 20

    /// The copy's main file; the log is beside it, as SQLite expects.
    public let path: String
    /// Bytes of the copied files.
    public let size: UInt64
    /// What the database was when it was copied.
    public let mark: DatabaseStamp
    private let folder: ScratchFolder

    /// Copies a database of the device.
    ///
    /// - Parameters:
    ///   - host: the services of the running instance.
    ///   - root: the root of the device that has the database.
    ///   - remote: the path of its main file below the root.
    ///   - name: what the database is called, at the beginning of a sentence.
    ///   - largest: most bytes of each of its files; larger ones are damaged.
    ///   - known: what the database was when it was looked at just before; saves a look.
    ///   - free: bytes that are free where the copy is made; another answer only in tests.
    /// - Throws: `notFound` when there is none, `busy` when it never holds still, `damaged` when it is empty or impossibly
    ///   large, `noSpace` when this computer has no room for it, before anything is fetched, and what the transport throws.
    public init(
        _ host: HostServices, _ root: Root, _ remote: String, name: String, largest: UInt64 = 4 << 30,
        known: DatabaseStamp? = nil,
        free: (ScratchFolder) throws(OverlayError) -> UInt64 = { (folder) throws(OverlayError) in
            try folder.freeSpace()
        }
    ) throws(OverlayError) {
        var before = if let known { known } else { try DatabaseStamp.take(host, root, remote).mark }
        // Nothing is made on the host for a database that is not there.
        guard before.sizes[0] != nil else { throw Self.missing(name, remote) }
        let folder = try ScratchFolder()
        self.folder = folder
        path = folder.file("copy.sqlite")
        var unfinished: DatabaseStamp?
        for attempt in 0..<Self.attempts {
            if attempt > 0 {
                try host.cancellation.wait(for: .milliseconds(20 << attempt))
                before = try DatabaseStamp.take(host, root, remote).mark
            }
            guard let main = before.sizes[0] else { throw Self.missing(name, remote) }
            let logSize = before.sizes[1] ?? 0
            guard main <= largest, logSize <= largest else {
                throw OverlayError(.damaged, "\(name) is too large.", subject: remote)
            }
            if before.hasActiveJournal, attempt + 1 < Self.attempts || before != unfinished {
                if before != unfinished { unfinished = attempt == 0 ? before : nil }
                continue
            }
            let journalSize = before.hasActiveJournal ? before.sizes[2] ?? 0 : 0
            guard journalSize <= largest else {
                throw OverlayError(.damaged, "\(name) is too large.", subject: remote + "-journal")
            }
            // What an earlier attempt fetched makes room first.
            for file in ["", "-wal", "-journal"] { try folder.remove("copy.sqlite" + file) }
            try Self.requireRoom(main, logSize + journalSize, try free(folder), folder, name)
            var journal = RollbackJournal(remote + "-journal")
            // The journal comes last: it holds what was in the main file before each change that the copy may have.
            guard try Self.fetch(host, root, remote, folder, "copy.sqlite", main),
                try Self.fetch(host, root, remote + "-wal", folder, "copy.sqlite-wal", logSize),
                try Self.fetch(
                    host, root, remote + "-journal", folder, "copy.sqlite-journal", journalSize,
                    { journal.add($0) }),
                try DatabaseStamp.take(host, root, remote).mark == before
            else { continue }
            if before.hasActiveJournal {
                try journal.check(name, largest: largest)
                host.log.warning(
                    "databases",
                    "\(name) has an unfinished change. Reading its state before that change. To finish "
                        + "or undo the change, open the app on the device once.",
                    ["file": remote])
            }
            guard !before.isEmptied else {
                throw OverlayError(.damaged, "\(name) is empty.", subject: remote)
            }
            size = main + logSize
            mark = before
            return
        }
        throw OverlayError(
            .busy, "\(name) is being written continuously.", subject: remote,
            hint: "Wait until the app is idle, then try again.", retryable: true)
    }

    /// SQLite may write the log's pages into the main file, too.
    private static func requireRoom(
        _ main: UInt64, _ log: UInt64, _ free: UInt64, _ folder: ScratchFolder, _ name: String
    ) throws(OverlayError) {
        let needed = main + 2 * log + reserve
        guard needed > free else { return }
        throw OverlayError(
            .noSpace,
            "A temporary copy of \(name) needs \(megabytes(needed)), but only \(megabytes(free)) are "
                + "free there.",
            subject: folder.parent,
            hint:
                "Free some space on this computer, or set the environment variable TMPDIR to another "
                + "folder."
        )
    }

    private static func megabytes(_ bytes: UInt64) -> String { "\((bytes + 999_999) / 1_000_000) MB" }

    private static func missing(_ name: String, _ remote: String) -> OverlayError {
        OverlayError(.notFound, "\(name) does not exist.", subject: remote)
    }

    /// Copies one file; false when it turned out to be of another size.
    private static func fetch(
        _ host: HostServices, _ root: Root, _ remote: String, _ folder: ScratchFolder, _ file: String,
        _ size: UInt64, _ look: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws(OverlayError) -> Bool {
        guard size > 0 || file == "copy.sqlite" else {
            try folder.remove(file)
            return true
        }
        do {
            return try folder.write(file) { take throws(OverlayError) in
                try host.transport.read(root, remote, offset: 0, length: size) {
                    chunk, _, _ throws(OverlayError) in
                    look(chunk)
                    try take(chunk)
                }
            } == size
        } catch {
            if error.status == .notFound { return false }
            throw error
        }
    }
}
