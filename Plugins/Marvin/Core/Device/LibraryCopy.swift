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

    /// What must not change while the copy is made.
    private struct Mark: Equatable {
        var sizes: [UInt64?]
        var times: [Int64]
        var heads: [[UInt8]]

        var isEmptied: Bool { sizes[0] == 0 && (sizes[1] ?? 0) == 0 }

        /// A journal in use begins with this magic number; one that is kept for later has zeros there.
        var hasActiveJournal: Bool {
            heads[2] == [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        }
    }

    /// Copies the database.
    ///
    /// - Parameter free: bytes that are free where the copy is made; another answer only in tests.
    /// - Throws: `notFound` when there is none, `busy` when it never holds still, `noSpace` when this computer has no room
    ///   for it, before anything is fetched, and what the transport throws.
    init(
        _ device: MarvinDevice,
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
            let before = try Self.mark(device)
            guard let mainSize = before.sizes[0] else {
                throw OverlayError(
                    .notFound, "Marvin has no library on this device.", subject: library,
                    hint: "Open Marvin once and let it show its library.")
            }
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
                try Self.mark(device) == before
            else { continue }
            if before.isEmptied {
                throw OverlayError(
                    .damaged, "Marvin's library is empty.", subject: library, hint: MarvinHint.damaged)
            }
            size = mainSize + logSize
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

    private static func mark(_ device: MarvinDevice) throws(OverlayError) -> Mark {
        let paths = ["", "-wal", "-journal"].map { device.paths.library + $0 }
        let files = try device.files(paths)
        var mark = Mark(
            sizes: files.map { $0?.size }, times: files.map { $0?.modified ?? 0 }, heads: [[], [], []])
        // The main header counts changes, the log's header has a new salt each time it starts again.
        let lengths: [UInt64] = [100, 32, 8]
        let present = paths.indices.filter { files[$0] != nil }
        let requests = present.map { ReadRequest(paths[$0], length: lengths[$0]) }
        for (index, head) in zip(present, try device.host.transport.readMany(.container, requests)) {
            switch head {
            case .success(let bytes): mark.heads[index] = bytes
            case .failure(let error):
                // Gone since it was looked at; the next look will differ.
                guard error.status == .notFound else { throw error }
                mark.times[index] = .min
            }
        }
        return mark
    }

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
                try device.host.transport.read(.container, remote, offset: 0, length: size) {
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
