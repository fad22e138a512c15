import CSystemShims
import DeviceTransport
import Glibc
import Synchronization

/// Notices that the file of an overlay has been built anew, and waits until it is whole.
///
/// The folder is watched by inotify; besides, the file is looked at twice a second, for folders that are made anew and file
/// systems that tell nothing. One thread at a time.
public final class OverlayWatch {
    /// A build is whole when the file is a library that can be read to its end and has not changed for so long.
    static let settling = Duration.milliseconds(150)
    /// How often the file is looked at without being told.
    static let interval = Duration.milliseconds(500)
    /// After so long without a change the file is as its author wants it, whole or not.
    static let patience = Duration.seconds(2)

    /// The file.
    public let file: String
    private let descriptor: Int32
    private var isFolderWatched = false
    /// The build that is in use, or was refused.
    private var known: PrivateCopies.Identity?
    /// A build that is not known, and since when it has not changed.
    private var candidate: (identity: PrivateCopies.Identity, since: ContinuousClock.Instant)?

    /// Begins to watch; what the file is now counts as known.
    public convenience init(file: String) {
        self.init(file: file, knows: { _ in true })
    }

    /// Begins to watch the file of an overlay that has been loaded: a build that came after that is new.
    package convenience init(_ overlay: LoadedOverlay) {
        self.init(file: overlay.file, loadedFile: overlay.loadedFile)
    }

    /// The same, by the file and its private copy; nil: what the file is now counts as known.
    package convenience init(file: String, loadedFile: String?) {
        self.init(file: file) { loadedFile?.contains($0.digest) ?? true }
    }

    private init(file: String, knows: (PrivateCopies.Identity) -> Bool) {
        self.file = file
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        if let identity = LibraryFile.identity(file), knows(identity) { known = identity }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Whether another build than the known one is there, be it whole or not. Does not wait.
    public var hasChanged: Bool {
        guard let identity = LibraryFile.identity(file) else { return false }
        return identity != known
    }

    /// Waits for a new build; false when the time is over or it is cancelled. The build counts as known afterwards.
    public func wait(_ cancellation: Cancellation, within limit: Duration? = nil) -> Bool {
        guard let identity = next(cancellation, within: limit) else { return false }
        known = identity
        return true
    }

    /// Waits for a new build that is whole, and leaves it to `wait` to find it again; false when it is cancelled.
    package func waitForWhole(_ cancellation: Cancellation) -> Bool {
        while next(cancellation, within: nil) != nil {
            if LibraryFile.isComplete(file) { return true }
        }
        return false
    }

    private func next(_ cancellation: Cancellation, within limit: Duration?) -> PrivateCopies.Identity? {
        let end = limit.map { ContinuousClock.now.advanced(by: $0) }
        let wake = shim_eventfd()
        defer { if wake >= 0 { close(wake) } }
        let registration = cancellation.whenCancelled {
            var one: UInt64 = 1
            _ = write(wake, &one, 8)
        }
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
            pollOnce(wake, pause)
        }
        return nil
    }

    // MARK: looking

    /// The new build, once it is whole or has not changed for long.
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
        guard !isFolderWatched, descriptor >= 0 else { return }
        var folders = [Self.folder(of: file)]
        if let real = realpath(file, nil) {
            folders.append(Self.folder(of: String(cString: real)))
            free(real)
        }
        let events =
            IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ATTRIB | IN_MODIFY | IN_DELETE_SELF | IN_MOVE_SELF
        var isWatched = true
        for folder in folders where inotify_add_watch(descriptor, folder, UInt32(events)) < 0 {
            isWatched = false
        }
        isFolderWatched = isWatched
    }

    private static func folder(of file: String) -> String {
        guard let slash = file.lastIndex(of: "/") else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }

    /// Waits until something happens in the folder, or the pause is over.
    private func pollOnce(_ wake: Int32, _ pause: Duration) {
        var polls = [descriptor, wake].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let (seconds, attoseconds) = pause.components
        let nanoseconds = max(seconds, 0) * 1_000_000_000 + max(attoseconds, 0) / 1_000_000_000
        guard shim_ppoll(&polls, 2, nanoseconds) > 0, polls[0].revents != 0 else { return }
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { break }
            // A folder that was removed or renamed is looked for anew.
            if Self.concernsFolder(bytes.prefix(count)) { isFolderWatched = false }
        }
        // Something is happening to the file: it is not whole before this is over.
        if let identity = LibraryFile.identity(file), identity != known, candidate?.identity != identity {
            candidate = (identity, .now)
        }
    }

    private static func concernsFolder(_ bytes: ArraySlice<UInt8>) -> Bool {
        var place = bytes.startIndex
        while place + 16 <= bytes.endIndex {
            func word(_ offset: Int) -> UInt32 {
                (0..<4).reduce(0) { $0 | UInt32(bytes[place + offset + $1]) << UInt32(8 * $1) }
            }
            if word(4) & UInt32(IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF) != 0 { return true }
            place += 16 + Int(word(12))
        }
        return false
    }
}
