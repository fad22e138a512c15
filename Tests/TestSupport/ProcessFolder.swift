import Foundation
import Glibc
import Synchronization

/// The folder of a test process, with its temporary folders and the files of programs that it starts.
///
/// It is removed when the process ends. If the process is killed, the next test process removes it, because the
/// kernel has released the process's lock by then.
public enum ProcessFolder {
    /// Its path. From the first use on, `TMPDIR` is set to it. Symbolic links in the path are resolved.
    public static let url: URL = {
        let parent = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        sweep(parent)
        // Another process may mistake a folder that is not locked yet for one without a process.
        for _ in 0..<16 {
            var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { break }
            let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard isLocked(path) else { continue }
            setenv("TMPDIR", path, 1)
            atexit { ProcessFolder.remove(ProcessFolder.url.path) }
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        fatalError("no folder for this process can be made in \(parent)")
    }()

    private static let prefix = "ohtest-"
    private static let count = Atomic<Int>(0)

    /// A unique path in it.
    static func newURL() -> URL {
        let number = count.add(1, ordering: .relaxed).newValue
        return url.appendingPathComponent("\(number)", isDirectory: true)
    }

    /// Locks a folder of this user until this process ends, unless another process has locked it.
    private static func isLocked(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        var (locked, there) = (stat(), stat())
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &locked) == 0,
            lstat(path, &there) == 0, locked.st_ino == there.st_ino, locked.st_uid == geteuid()
        else {
            close(descriptor)
            return false
        }
        return true
    }

    private static func sweep(_ parent: String) {
        do {
            for name in try FileManager.default.contentsOfDirectory(atPath: parent)
            where name.hasPrefix(prefix) && isLocked("\(parent)/\(name)") {
                remove("\(parent)/\(name)")
            }
        } catch {
            report("\(parent) cannot be cleared: \(error)")
        }
    }

    private static func remove(_ path: String) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            report("left behind: \(path): \(error)")
        }
    }

    static func report(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
