import Glibc

/// A new file under a name that nothing else has, which is removed again unless it gets its place. Not thread-safe.
package final class TemporaryFile {
    /// The file, open for writing; -1 once it was moved.
    package private(set) var descriptor: Int32
    /// Where it is until it gets its place.
    package let path: String
    private var isPlaced = false

    /// Makes an empty file; nil, with errno, when that is not possible.
    ///
    /// - Parameters:
    ///   - beginning: what its path begins with: a folder on the file system of its place, and a part of a name.
    ///   - mode: its permissions, less those that the umask takes away; without one they are for this user alone.
    package init?(beginning: String, mode: mode_t = 0o600) {
        let path = "\(beginning).\(UInt64.random(in: 0...UInt64.max)).tmp"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { return nil }
        self.path = path
        self.descriptor = descriptor
    }

    /// Writes a small file in place of what has its name, whole or not at all; 0, or the errno of the failure.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - place: the path of the file, in a folder that exists.
    ///   - mode: its permissions, less those that the umask takes away.
    package static func write(_ bytes: [UInt8], to place: String, mode: mode_t) -> Int32 {
        let folder = place.pathFolder.map { $0 + "/" } ?? ""
        guard let file = TemporaryFile(beginning: folder + ".overlayhost", mode: mode) else { return errno }
        let code = writeAll(bytes, to: file.descriptor)
        return code == 0 ? file.move(to: place, survivesPowerCut: false) : code
    }

    /// Closes the file and gives it its name, in place of what has it; 0, or the errno of the failure.
    ///
    /// It may be called again when only its folder was missing (`ENOENT`) and has been made.
    ///
    /// - Parameters:
    ///   - place: the path of the name.
    ///   - survivesPowerCut: whether the content has to be on the disk before.
    package func move(to place: String, survivesPowerCut: Bool) -> Int32 {
        if descriptor >= 0 {
            if survivesPowerCut, fsync(descriptor) != 0 { return errno }
            let file = descriptor
            descriptor = -1
            // Only closing tells on every file system whether the content was written.
            guard close(file) == 0 else { return errno }
        }
        guard rename(path, place) == 0 else { return errno }
        isPlaced = true
        return 0
    }

    /// Closes the file and gives it its name, unless something has it: then `EEXIST`. 0, or the errno of the failure. To be called once.
    ///
    /// A program that has opened what has the name keeps it. On a file system without hard links what has the name is replaced.
    ///
    /// - Parameter place: the path of the name.
    package func moveIfFree(to place: String) -> Int32 {
        let file = descriptor
        descriptor = -1
        guard close(file) == 0 else { return errno }
        // The first name is removed at the end.
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
