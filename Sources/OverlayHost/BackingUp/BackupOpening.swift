import DeviceTransport
import Libraries
import OverlayServices
import Platform
import Synchronization

/// Locks the backup folder and reads the manifest. Both happen once: when the listing finds the first
/// file that may be copied, or after the listing.
final class BackupOpening: Sendable {
    private struct State {
        var lock: FolderLock?
        var content: (manifest: BackupManifest, isWritten: Bool)?
    }

    private let folder: BackupFolder
    private let blank: BackupManifest
    private let cancellation: Cancellation
    private let state = Mutex(State())
    /// What is found out about staged copies.
    let findings = CopyFindings()

    /// - Parameter blank: the manifest of an empty backup.
    init(_ folder: BackupFolder, like blank: BackupManifest, _ cancellation: Cancellation) {
        (self.folder, self.blank, self.cancellation) = (folder, blank, cancellation)
    }

    /// The place for copies of new files; nil while another program has the lock, or if the folder is not writable.
    func stagingPlace() -> StagingPlace? {
        do throws(HostError) {
            guard let lock = try folder.lockIfFree() else { return nil }
            try folder.removeLeftovers()
            let content = try read()
            state.withLock { $0 = State(lock: lock, content: content) }
            let known = Self.marks(of: content.manifest)
            return StagingPlace(
                folder: folder.path, isWanted: { !known.contains(Self.mark(name: $0, size: $1)) },
                examine: { [findings] in findings.examine($0, $1) },
                moved: { [findings] in findings.moved($0, to: $1) })
        } catch {
            // The error occurs again after the listing, and is reported then.
            return nil
        }
    }

    /// Returns the content of the backup.
    ///
    /// - Parameters:
    ///   - locking: whether the backup will be changed.
    ///   - waiting: called once if another program has the lock.
    /// - Throws: `cancelled`, or the reason why the folder cannot be read or written.
    func content(
        locking: Bool, waiting: () -> Void
    ) throws(HostError) -> (manifest: BackupManifest, isWritten: Bool) {
        // Avoid keeping a second manifest of a large library in memory.
        let known = state.withLock { state in
            defer { state.content = nil }
            return state.content
        }
        if let known { return known }
        if locking {
            let lock = try folder.lock(waiting: waiting) { cancellation.isCancelled }
            state.withLock { $0.lock = lock }
            try folder.removeLeftovers()
        }
        return try read()
    }

    /// Releases the lock.
    func close() { state.withLock { $0 = State() } }

    private func read() throws(HostError) -> (manifest: BackupManifest, isWritten: Bool) {
        try folder.manifest(like: blank) { cancellation.isCancelled }
    }

    /// Marks of the files in the backup, judged by names and sizes.
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
