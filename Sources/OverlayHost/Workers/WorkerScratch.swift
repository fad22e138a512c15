import FoundationEssentials
import Glibc
import Synchronization

/// The folders that workers may write to, one for each.
enum WorkerScratch {
    private static let prefix = "overlayhost-worker-"
    private static let folders = Mutex<Set<String>>([])
    private static let swept = Mutex<Set<String>>([])

    /// A new folder in `parent`; nil when none can be made. Clears away what hosts have left that were killed.
    static func make(in parent: String) -> String? {
        if swept.withLock({ $0.insert(parent).inserted }) { sweep(parent) }
        var path = Array("\(parent)/\(prefix)\(getpid())-XXXXXX".utf8CString)
        guard let made = mkdtemp(&path) else { return nil }
        let folder = String(cString: made)
        folders.withLock { _ = $0.insert(folder) }
        return folder
    }

    /// Removes a folder with what is in it.
    static func remove(_ folder: String) {
        folders.withLock { _ = $0.remove(folder) }
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            // Whoever comes next clears it away: it bears the number of this process.
            return
        }
    }

    /// Removes all of this process, at its end.
    static func removeAll() {
        for folder in folders.withLock({ $0 }) { remove(folder) }
    }

    private static func sweep(_ parent: String) {
        for name in FolderListing.names(parent) ?? [] where name.hasPrefix(prefix) {
            guard let pid = name.dropFirst(prefix.count).split(separator: "-").first.flatMap({ Int32($0) }),
                pid > 0, kill(pid, 0) != 0, errno == ESRCH
            else { continue }
            var status = stat()
            guard lstat("\(parent)/\(name)", &status) == 0, status.st_uid == geteuid() else { continue }
            remove("\(parent)/\(name)")
        }
    }
}
