import Glibc
import Platform

/// Waits for changes in a folder with inotify. Any other thread can wake it.
final class FolderWatch: Sendable {
    private let events: FolderEvents
    private let wakeup = WakeUpDescriptor()

    /// Watches for files that appear under their final name, because they were written and closed, or renamed into
    /// the folder.
    static let arrivals = UInt32(IN_MOVED_TO) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_DELETE_SELF)
    /// Watches for a reader that closes a file.
    static let readings = UInt32(IN_CLOSE_NOWRITE)

    init(_ path: String, for events: UInt32) throws(SimulationError) {
        guard let watching = FolderEvents() else { throw FolderWatch.failure("inotify_init1", path) }
        self.events = watching
        // The descriptors are closed with this object, even if an error is thrown.
        guard wakeup.descriptor >= 0 else { throw FolderWatch.failure("eventfd", path) }
        guard watching.watch(path, for: events) != nil else {
            throw FolderWatch.failure("inotify_add_watch", path)
        }
    }

    /// Ends the current wait, or else the next one.
    func wake() { wakeup.signal() }

    /// Returns at the next change or wake-up, or when the time limit is reached. Returns false only for the time
    /// limit.
    ///
    /// - Parameter limit: the time limit; nil to wait indefinitely.
    @discardableResult
    func wait(_ limit: Duration?) -> Bool {
        let deadline = limit.map { ContinuousClock.now + $0 }
        while true {
            var milliseconds: Int32 = -1
            if let deadline {
                let left = ContinuousClock.now.duration(to: deadline)
                guard left > .zero else { return false }
                let parts = left.components
                let exact = Double(parts.seconds) * 1000 + Double(parts.attoseconds) / 1e15
                milliseconds = Int32(min(exact.rounded(.up), 3_600_000))
            }
            var waiting = [
                pollfd(fd: events.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waiting, 2, milliseconds) > 0 else { continue }
            // The caller looks at the whole folder, so the kind of change does not matter.
            _ = events.take()
            wakeup.reset()
            return true
        }
    }

    private static func failure(_ call: String, _ path: String) -> SimulationError {
        let code = errno
        return SimulationError.system(code, "The system call \(call) failed", subject: path)
    }
}
