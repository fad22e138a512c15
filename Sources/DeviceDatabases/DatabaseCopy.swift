import OverlayKit

/// Copies a database of an app to the host in a consistent state.
///
/// The app may write while the files are read. So the files are checked before and after the copy: their sizes, their
/// times, and also their heads, because times have only whole seconds on the older file system. If anything differs,
/// the copy is made again. With a write-ahead log, both files belong together: SQLite on the host applies the log's
/// committed pages. A rollback journal in use means that a transaction is only half written to the main file, so this
/// waits. If nothing changes meanwhile, the writing program has ended: then the journal is copied after the main file,
/// and SQLite on the host undoes the transaction in the copy. A journal that names another file is never copied,
/// because SQLite would act on that name.
public struct DatabaseCopy {
    /// How many copies are attempted before giving up.
    private static let attempts = 8
    /// Bytes to leave free on the host beside the copy.
    private static let reserve: UInt64 = 16 << 20

    /// The path of the copy's main file; the log is beside it, as SQLite expects.
    public let path: String
    /// The size of the copied files in bytes.
    public let size: UInt64
    /// The state of the database when it was copied.
    public let mark: DatabaseStamp
    private let folder: ScratchFolder

    /// Copies a database from the device.
    ///
    /// - Parameters:
    ///   - host: the services of the running instance.
    ///   - root: the root of the device that contains the database.
    ///   - remote: the path of its main file, relative to the root.
    ///   - name: the name of the database, as the beginning of a sentence.
    ///   - largest: the largest valid size of each file in bytes; a larger file counts as damaged.
    ///   - known: the state of the database if it was determined just before; saves a request.
    ///   - free: the free bytes where the copy is made; replaced only in tests.
    /// - Throws: `notFound` if there is no database; `busy` if it keeps changing; `damaged` if it is empty or
    ///   impossibly large; `noSpace`, before anything is fetched, if the host has no room for it; and errors of the
    ///   transport.
    public init(
        _ host: HostServices, _ root: Root, _ remote: String, name: String, largest: UInt64 = 4 << 30,
        known: DatabaseStamp? = nil,
        free: (ScratchFolder) throws(OverlayError) -> UInt64 = { (folder) throws(OverlayError) in
            try folder.freeSpace()
        }
    ) throws(OverlayError) {
        var before = if let known { known } else { try DatabaseStamp.take(host, root, remote).mark }
        // If the database does not exist, nothing is created on the host.
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
            // Free the space that an earlier attempt used.
            for file in ["", "-wal", "-journal"] { try folder.remove("copy.sqlite" + file) }
            try Self.requireRoom(main, logSize + journalSize, try free(folder), folder, name)
            var journal = RollbackJournal(remote + "-journal")
            // Copy the journal last, because it contains the old content of every page of the main file that may have
            // changed in the copy.
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

    /// SQLite may also write the log's pages into the main file.
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

    /// Copies one file; false if its size turned out to be different.
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
