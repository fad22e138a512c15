import OverlayKit

/// Brings a database of an app to the host without tearing it.
///
/// The app may write while the files are read. What is copied is therefore looked at before and after: sizes, times and
/// the heads of the files, for on the older file system times have whole seconds only. If anything differs the copy is
/// made again. With a write-ahead log, both files belong together: SQLite on the host takes the committed pages of the
/// log over. A rollback journal that is in use means that a transaction is half way through the main file; that is
/// waited for. Journals themselves are never copied, because SQLite would act on file names written in them.
package struct DatabaseCopy {
    /// How often a copy is made before it counts as hopeless.
    private static let attempts = 8
    /// Left free on this computer beside the copy.
    private static let reserve: UInt64 = 16 << 20

    /// The copy's main file; the log lies beside it, as SQLite expects.
    package let path: String
    /// Bytes of the copied files.
    package let size: UInt64
    /// The main file as it was when it was copied.
    package let source: FileInfo
    private let folder: ScratchFolder

    /// What must not change while the copy is made.
    private struct Mark: Equatable {
        var files: [FileInfo?]
        var heads: [[UInt8]]
        var hasVanished = false

        /// A journal in use begins with this magic number; one that is kept for later has zeros there.
        var hasActiveJournal: Bool { heads[2] == [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7] }
    }

    /// Copies a database of the device.
    ///
    /// - Parameters:
    ///   - name: what the database is called, at the beginning of a sentence.
    ///   - largest: most bytes of each of its files; larger ones are damaged.
    ///   - free: bytes that are free where the copy is made; another answer only in tests.
    /// - Throws: `notFound` when there is none, `busy` when it never holds still, `damaged` when it is empty or impossibly
    ///   large, `noSpace` when this computer has no room for it, before anything is fetched, and what the transport throws.
    package init(
        _ host: HostServices, _ root: Root, _ remote: String, name: String, largest: UInt64 = 4 << 30,
        free: (ScratchFolder) throws(OverlayError) -> UInt64 = { (folder) throws(OverlayError) in
            try folder.freeSpace()
        }
    ) throws(OverlayError) {
        // Nothing is made on the host for a database that is not there.
        guard try Self.mark(host, root, remote).files[0] != nil else {
            throw OverlayError(.notFound, "\(name) is not there.", subject: remote)
        }
        let folder = try ScratchFolder()
        self.folder = folder
        path = folder.file("copy.sqlite")
        for attempt in 0..<Self.attempts {
            if attempt > 0 { try host.cancellation.wait(for: .milliseconds(20 << attempt)) }
            let before = try Self.mark(host, root, remote)
            guard let main = before.files[0] else {
                throw OverlayError(.notFound, "\(name) is not there.", subject: remote)
            }
            let logSize = before.files[1]?.size ?? 0
            guard main.size <= largest, logSize <= largest else {
                throw OverlayError(.damaged, "\(name) is impossibly large.", subject: remote)
            }
            if before.hasActiveJournal || before.hasVanished { continue }
            // What an earlier attempt fetched makes room first.
            for file in ["copy.sqlite", "copy.sqlite-wal"] { try folder.remove(file) }
            try Self.requireRoom(main.size, logSize, try free(folder), folder, name)
            guard try Self.fetch(host, root, remote, folder, "copy.sqlite", main.size),
                try Self.fetch(host, root, remote + "-wal", folder, "copy.sqlite-wal", logSize),
                try Self.mark(host, root, remote) == before
            else { continue }
            if main.size == 0, logSize == 0 {
                throw OverlayError(.damaged, "\(name) is empty.", subject: remote)
            }
            size = main.size + logSize
            source = main
            return
        }
        throw OverlayError(
            .busy, "\(name) is being written to all the time.", subject: remote,
            hint: "Wait until the app has finished what it is doing, then try again.", retryable: true)
    }

    /// SQLite may write the log's pages into the main file, too.
    private static func requireRoom(
        _ main: UInt64, _ log: UInt64, _ free: UInt64, _ folder: ScratchFolder, _ name: String
    ) throws(OverlayError) {
        let needed = main + 2 * log + reserve
        guard needed > free else { return }
        throw OverlayError(
            .noSpace,
            "\(name) needs \(megabytes(needed)) for a copy for a moment, and only \(megabytes(free)) are free there.",
            subject: folder.parent,
            hint:
                "Free some space on this computer, or name another folder with the environment variable TMPDIR."
        )
    }

    private static func megabytes(_ bytes: UInt64) -> String { "\((bytes + 999_999) / 1_000_000) MB" }

    private static func mark(
        _ host: HostServices, _ root: Root, _ remote: String
    ) throws(OverlayError) -> Mark {
        let paths = ["", "-wal", "-journal"].map { remote + $0 }
        var mark = Mark(files: [], heads: [[], [], []])
        for (path, result) in zip(paths, try host.transport.stat(root, paths)) {
            switch result {
            case .success(let info): mark.files.append(info.kind == .regular ? info : nil)
            case .failure(let error):
                // Without the file iOS may also say that the place is refused.
                guard error.status == .notFound || (path != remote && error.status == .accessRefused) else {
                    throw error
                }
                mark.files.append(nil)
            }
        }
        // The main header counts changes, the log's header has a new salt each time it starts again.
        let lengths: [UInt64] = [100, 32, 8]
        let present = paths.indices.filter { mark.files[$0] != nil }
        let requests = present.map { ReadRequest(paths[$0], length: lengths[$0]) }
        for (index, head) in zip(present, try host.transport.readMany(root, requests)) {
            switch head {
            case .success(let bytes): mark.heads[index] = bytes
            case .failure(let error):
                // Gone since it was looked at.
                guard error.status == .notFound else { throw error }
                mark.hasVanished = true
            }
        }
        return mark
    }

    /// Copies one file; false when it turned out to be of another size.
    private static func fetch(
        _ host: HostServices, _ root: Root, _ remote: String, _ folder: ScratchFolder, _ file: String,
        _ size: UInt64
    ) throws(OverlayError) -> Bool {
        guard size > 0 || file == "copy.sqlite" else {
            try folder.remove(file)
            return true
        }
        do {
            return try folder.write(file) { take throws(OverlayError) in
                try host.transport.read(root, remote, offset: 0, length: size) {
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
