import Glibc

/// A new file under a name that nothing else has, which is removed again unless it gets its place. Not thread-safe.
package final class TemporaryFile {
    /// The file, open for writing; -1 once it was moved.
    package private(set) var descriptor: Int32
    /// Where it is until it gets its place.
    package let path: String
    private var isPlaced = false

    /// Makes an empty file for this user alone; nil, with errno, when that is not possible.
    ///
    /// - Parameter beginning: what its path begins with: a folder on the file system of its place, and a part of a name.
    package init?(beginning: String) {
        let path = "\(beginning).\(UInt64.random(in: 0...UInt64.max)).tmp"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        self.path = path
        self.descriptor = descriptor
    }

    /// Closes the file and gives it its name, in place of what has it; 0, or the errno of the failure. To be called once.
    ///
    /// - Parameters:
    ///   - place: the path of the name.
    ///   - survivesPowerCut: whether the content has to be on the disk before.
    package func move(to place: String, survivesPowerCut: Bool) -> Int32 {
        if survivesPowerCut, fsync(descriptor) != 0 { return errno }
        let file = descriptor
        descriptor = -1
        // Only closing tells on every file system whether the content was written.
        guard close(file) == 0, rename(path, place) == 0 else { return errno }
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
