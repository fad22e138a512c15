import DeviceTransport
import Glibc
import Platform
import Synchronization

/// Waits for new builds of an overlay, until each is complete.
///
/// The folder is watched by inotify. The file is also looked at twice a second, because a folder can be made anew and some file
/// systems send no events. One thread at a time.
public final class OverlayWatch {
    /// A build is complete when the file is a library that can be read to its end and has not changed for this long.
    static let settling = Duration.milliseconds(150)
    /// How often the file is looked at without an event.
    static let interval = Duration.milliseconds(500)
    /// A file that has not changed for this long counts as finished, even if it is not a library.
    static let patience = Duration.seconds(2)

    /// The file.
    public let file: String
    /// Nil when the system has no descriptor left.
    private let events = FolderEvents()
    private var isFolderWatched = false
    /// The build that is in use, or was refused.
    private var known: PrivateCopies.Identity?
    /// A build that is not known, and since when it has not changed.
    private var candidate: (identity: PrivateCopies.Identity, since: ContinuousClock.Instant)?

    /// Begins to watch; the file as it is now counts as known.
    public convenience init(file: String) {
        self.init(file: file, knows: { _ in true })
    }

    /// Begins to watch the file of an overlay that has been loaded: a build that came after that is new.
    package convenience init(_ overlay: LoadedOverlay) {
        self.init(file: overlay.file, loadedFile: overlay.loadedFile)
    }

    /// Begins to watch the file of an overlay that was loaded from this private copy; nil: the file as it is now counts as known.
    package convenience init(file: String, loadedFile: String?) {
        self.init(file: file) { loadedFile?.contains($0.digest) ?? true }
    }

    private init(file: String, knows: (PrivateCopies.Identity) -> Bool) {
        self.file = file
        if let identity = LibraryFile.identity(file), knows(identity) { known = identity }
    }

    /// Whether the file differs from the known build, complete or not. Does not wait.
    public var hasChanged: Bool {
        guard let identity = LibraryFile.identity(file) else { return false }
        return identity != known
    }

    /// Waits for a new build; false when the time is over or the wait is cancelled. The build counts as known afterwards.
    public func wait(_ cancellation: Cancellation, within limit: Duration? = nil) -> Bool {
        guard let identity = next(cancellation, within: limit) else { return false }
        known = identity
        return true
    }

    /// Waits for a new build that is complete, without taking it: `wait` returns it again. False when the wait is cancelled.
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

    /// The new build, once it is complete or has not changed for long.
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

    /// Watches the folder of the file and, if that is a symbolic link, the folder it leads to.
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

    /// Waits until something happens in the folder, or the pause is over.
    private func waitOnce(_ wake: WakeUpDescriptor, _ pause: Duration) {
        var polls = [events?.descriptor ?? -1, wake.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        guard pollOnce(&polls, timeout: pause) > 0, polls[0].revents != 0 else { return }
        // A folder that was removed or renamed is looked for anew.
        let lost = UInt32(IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF)
        if let events, events.take().contains(where: { $0.kinds & lost != 0 }) { isFolderWatched = false }
        // The file is being written. It settles from now on.
        if let identity = LibraryFile.identity(file), identity != known, candidate?.identity != identity {
            candidate = (identity, .now)
        }
    }
}
