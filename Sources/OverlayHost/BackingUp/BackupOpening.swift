import DeviceTransport
import Libraries
import OverlayServices
import Platform
import Synchronization

/// The beginning of a backup: its turn in the folder, and what the folder has. Both are had once: when the listing has the first
/// file that may be copied, or after the listing.
final class BackupOpening: Sendable {
    private struct State {
        var turn: FolderTurn?
        var content: (manifest: BackupManifest, isWritten: Bool)?
    }

    private let folder: BackupFolder
    private let blank: BackupManifest
    private let cancellation: Cancellation
    private let state = Mutex(State())

    /// - Parameter blank: the manifest of a backup that has nothing.
    init(_ folder: BackupFolder, like blank: BackupManifest, _ cancellation: Cancellation) {
        (self.folder, self.blank, self.cancellation) = (folder, blank, cancellation)
    }

    /// Where copies of new files wait; nil while another program has the turn, or if the folder cannot be written.
    func stagingPlace() -> StagingPlace? {
        do throws(HostError) {
            guard let turn = try folder.takeTurnIfFree() else { return nil }
            folder.removeLeftovers()
            let content = try read()
            state.withLock { $0 = State(turn: turn, content: content) }
            let known = Self.marks(of: content.manifest)
            return StagingPlace(folder: folder.path) { !known.contains(Self.mark(name: $0, size: $1)) }
        } catch {
            // What is wrong is found again after the listing.
            return nil
        }
    }

    /// What the backup has.
    ///
    /// - Parameters:
    ///   - takingTurn: whether the backup is going to be changed.
    ///   - waiting: called once if another program has the turn.
    /// - Throws: `cancelled`, and why the folder cannot be written.
    func content(
        takingTurn: Bool, waiting: () -> Void
    ) throws(HostError) -> (manifest: BackupManifest, isWritten: Bool) {
        // The manifest of a large library is held once.
        let known = state.withLock { state in
            defer { state.content = nil }
            return state.content
        }
        if let known { return known }
        if takingTurn {
            let turn = try folder.takeTurn(waiting: waiting) { cancellation.isCancelled }
            state.withLock { $0.turn = turn }
            folder.removeLeftovers()
        }
        return try read()
    }

    /// Gives the turn to the next program.
    func close() { state.withLock { $0 = State() } }

    private func read() throws(HostError) -> (manifest: BackupManifest, isWritten: Bool) {
        try folder.manifest(like: blank) { cancellation.isCancelled }
    }

    /// The files that the backup has already, as far as names and sizes tell.
    private static func marks(of manifest: BackupManifest) -> Set<UInt64> {
        Set(
            manifest.entries.compactMap { entry in
                entry[.book].map { mark(name: OverlayPath.name(of: entry.path), size: entry.size ?? $0.size) }
            })
    }

    private static func mark(name: String, size: UInt64) -> UInt64 {
        var hash = FNV1a()
        hash.add(name.utf8)
        hash.add("/\(size)".utf8)
        return hash.value
    }
}
