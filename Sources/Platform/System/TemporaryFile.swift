import Glibc

/// A new file with a unique temporary name. It is removed unless it is moved to its final place. Not thread-safe.
package final class TemporaryFile {
    /// The file, open for writing; -1 once it has been moved.
    package private(set) var descriptor: Int32
    /// The temporary path.
    package let path: String
    private var isPlaced = false

    /// Creates an empty file; nil, with errno, if that fails.
    ///
    /// - Parameters:
    ///   - beginning: the beginning of its path: a folder on the file system of the final place, and the first part
    ///     of the name.
    ///   - mode: its permissions, which the umask reduces. By default only this user has access.
    package init?(beginning: String, mode: mode_t = 0o600) {
        let path = "\(beginning).\(UInt64.random(in: 0...UInt64.max)).tmp"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { return nil }
        self.path = path
        self.descriptor = descriptor
    }

    /// Writes a small file atomically, in place of any file with its name; returns 0, or the errno of the failure.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - place: the path of the file, in a folder that exists.
    ///   - mode: its permissions, which the umask reduces.
    package static func write(_ bytes: [UInt8], to place: String, mode: mode_t) -> Int32 {
        let folder = place.pathFolder.map { $0 + "/" } ?? ""
        guard let file = TemporaryFile(beginning: folder + ".overlayhost", mode: mode) else { return errno }
        let code = writeAll(bytes, to: file.descriptor)
        return code == 0 ? file.move(to: place, survivesPowerCut: false) : code
    }

    /// Closes the file and moves it to its final name, in place of any file there; returns 0, or the errno of the
    /// failure.
    ///
    /// After `ENOENT`, which means that only the folder was missing, it may be called again once the folder exists.
    ///
    /// - Parameters:
    ///   - place: the final path.
    ///   - survivesPowerCut: whether the content must be on disk before the move.
    package func move(to place: String, survivesPowerCut: Bool) -> Int32 {
        if descriptor >= 0 {
            if survivesPowerCut, fsync(descriptor) != 0 { return errno }
            let file = descriptor
            descriptor = -1
            // Some file systems report only on closing whether the content was written.
            guard close(file) == 0 else { return errno }
        }
        guard rename(path, place) == 0 else { return errno }
        isPlaced = true
        return 0
    }

    /// Closes the file and moves it to its final name, or returns `EEXIST` if that name exists. Returns 0, or the
    /// errno of the failure. Call once.
    ///
    /// Programs that have a file with that name open keep it. On a file system without hard links, an existing file
    /// is replaced.
    ///
    /// - Parameter place: the final path.
    package func moveIfFree(to place: String) -> Int32 {
        let file = descriptor
        descriptor = -1
        guard close(file) == 0 else { return errno }
        // The temporary name is removed at the end.
        if link(path, place) == 0 { return 0 }
        guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno), rename(path, place) == 0 else {
            return errno
        }
        isPlaced = true
        return 0
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if !isPlaced { unlink(path) }
    }
}
