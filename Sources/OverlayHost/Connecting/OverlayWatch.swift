import DeviceTransport
import Glibc
import Platform
import Synchronization

/// Waits for complete new builds of an overlay.
///
/// The folder is watched with inotify. The file is also checked twice a second, because a folder may be created
/// again, and some file systems do not send events. For use by one thread at a time.
///
/// ```swift
/// func followBuilds(_ session: HostSession, _ request: SessionRequest) throws {
///     let watch = OverlayWatch(file: session.overlayFile)
///     while watch.wait(request.cancellation) { try session.reload() }
/// }
/// ```
public final class OverlayWatch {
    /// A library that can be read to its end is complete when it has not changed for this time.
    static let settling = Duration.milliseconds(150)
    /// The interval between checks without an event.
    static let interval = Duration.milliseconds(500)
    /// A file that has not changed for this time counts as finished, even if it is not a library.
    static let patience = Duration.seconds(2)

    /// The path of the file.
    public let file: String
    /// Nil if the system has no free descriptors.
    private let events = FolderEvents()
    private var isFolderWatched = false
    /// The build that is used or was refused.
    private var known: PrivateCopies.Identity?
    /// A new build, and the time since when it has not changed.
    private var candidate: (identity: PrivateCopies.Identity, since: ContinuousClock.Instant)?

    /// Starts watching. The current file counts as known.
    public convenience init(file: String) {
        self.init(file: file, knows: { _ in true })
    }

    /// Starts watching the file of a loaded overlay. Any later build is new.
    package convenience init(_ overlay: LoadedOverlay) {
        self.init(file: overlay.file, loadedFile: overlay.loadedFile)
    }

    /// Starts watching the file of an overlay that was loaded from this private copy; nil if the current file counts
    /// as known.
    package convenience init(file: String, loadedFile: String?) {
        self.init(file: file) { loadedFile?.contains($0.digest) ?? true }
    }

    private init(file: String, knows: (PrivateCopies.Identity) -> Bool) {
        self.file = file
        if let identity = LibraryFile.identity(file), knows(identity) { known = identity }
    }

    /// Whether the file differs from the known build, even if it is incomplete. Does not wait.
    public var hasChanged: Bool {
        guard let identity = LibraryFile.identity(file) else { return false }
        return identity != known
    }

    /// Waits for a new build. Returns false when the time is over or the wait is cancelled. Afterwards, the build
    /// counts as known.
    public func wait(_ cancellation: Cancellation, within limit: Duration? = nil) -> Bool {
        guard let identity = next(cancellation, within: limit) else { return false }
        known = identity
        return true
    }

    /// Waits for a complete new build, which a later call of `wait` still returns. Returns false when the wait is
    /// cancelled.
    package func waitForWhole(_ cancellation: Cancellation) -> Bool {
        while next(cancellation, within: nil) != nil {
            if LibraryFile.isComplete(file) { return true }
        }
        return false
    }

    private func next(_ cancellation: Cancellation, within limit: Duration?) -> PrivateCopies.Identity? {
        let end = limit.map { ContinuousClock.now.advanced(by: $0) }
        let wake = WakeUpDescriptor()
        let registration = cancellation.whenCancelled { wake.signal() }
        defer { withExtendedLifetime(registration) {} }
        while !cancellation.isCancelled {
            watchFolder()
            let now = ContinuousClock.now
            if let identity = settled(now) {
                candidate = nil
                return identity
            }
            var pause = candidate == nil ? Self.interval : Self.settling
            if let end {
                guard now < end else { return nil }
                pause = min(pause, end - now)
            }
            waitOnce(wake, pause)
        }
        return nil
    }

    // MARK: looking

    /// The new build; nil until it is complete or has not changed for long.
    private func settled(_ now: ContinuousClock.Instant) -> PrivateCopies.Identity? {
        guard let identity = LibraryFile.identity(file), identity != known else {
            candidate = nil
            return nil
        }
        guard let (seen, since) = candidate, seen == identity else {
            candidate = (identity, now)
            return nil
        }
        if now - since >= Self.patience { return identity }
        return now - since >= Self.settling && LibraryFile.isComplete(file) ? identity : nil
    }

    // MARK: waiting

    /// Watches the folder of the file and, if the file is a symbolic link, the folder of its target.
    private func watchFolder() {
        guard !isFolderWatched, let events else { return }
        var folders = [Self.folder(of: file)]
        if let real = realpath(file, nil) {
            folders.append(Self.folder(of: String(cString: real)))
            free(real)
        }
        let kinds =
            IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ATTRIB | IN_MODIFY | IN_DELETE_SELF | IN_MOVE_SELF
        var isWatched = true
        for folder in folders where events.watch(folder, for: UInt32(kinds)) == nil {
            isWatched = false
        }
        isFolderWatched = isWatched
    }

    private static func folder(of file: String) -> String {
        guard let folder = file.pathFolder else { return "." }
        return folder.isEmpty ? "/" : String(folder)
    }

    /// Waits until something changes in the folder, or the pause is over.
    private func waitOnce(_ wake: WakeUpDescriptor, _ pause: Duration) {
        var polls = [events?.descriptor ?? -1, wake.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        guard pollOnce(&polls, timeout: pause) > 0, polls[0].revents != 0 else { return }
        // Search again for a folder that was removed or renamed.
        let lost = UInt32(IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF)
        if let events, events.take().contains(where: { $0.kinds & lost != 0 }) { isFolderWatched = false }
        // The file is being written; wait until it no longer changes.
        if let identity = LibraryFile.identity(file), identity != known, candidate?.identity != identity {
            candidate = (identity, .now)
        }
    }
}
