import Synchronization
import Glibc
import Platform

extension File {
    /// Moves the file and returns it at its new location; nil on failure, in which case the file stays where it was.
    ///
    /// Never replaces an existing file and does not create folders. To move the file to another file system, it is
    /// copied next to the destination, written to disk, and renamed; then the original is removed. The format does
    /// not change with the name: a known format is kept, and if it is not known yet, the old extension remains a
    /// hint. This object keeps its path and format unchanged. Moving a file onto itself succeeds.
    ///
    /// - Parameter destinationPath: the complete new path, including the extension.
    public func move(destinationPath: String) -> File? {
        guard !path.utf8.contains(0), !destinationPath.utf8.contains(0) else { return nil }
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        if !isAlready(at: destinationPath, status), !rename(to: destinationPath, status) { return nil }
        let known = guessed.withLock { $0 }
        let formerExtensions =
            known == nil ? FileExtension.ofPath(path).map { self.formerExtensions + [$0] } : nil
        return File(
            path: destinationPath, sourceURL: sourceURL, mediaTypes: mediaTypes,
            formatSniffers: formatSniffers,
            formerExtensions: formerExtensions ?? self.formerExtensions, guessed: known)
    }

    /// Whether the destination is this same file, possibly under another spelling of its path.
    private func isAlready(at destination: String, _ status: stat) -> Bool {
        if destination.utf8.elementsEqual(path.utf8) { return true }
        var other = stat()
        // If the file has one link, two names are two spellings. If it has several links, they are different
        // directory entries.
        return lstat(destination, &other) == 0 && other.st_dev == status.st_dev
            && other.st_ino == status.st_ino
            && status.st_nlink == 1
    }

    private func rename(to destination: String, _ status: stat) -> Bool {
        if renameWithoutReplacing(path, to: destination) { return true }
        return errno == EXDEV && status.st_mode & S_IFMT == S_IFREG && CrossDeviceMove.move(path, destination)
    }
}

/// Moves a regular file to another file system in four steps: copy, write to disk, rename, remove.
enum CrossDeviceMove {
    /// Moves the file. On failure, returns false, leaves the file where it was, and leaves nothing at the
    /// destination.
    static func move(_ path: String, _ destination: String) -> Bool {
        guard let source = FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW), let status = source.status,
            status.st_mode & S_IFMT == S_IFREG
        else { return false }
        guard let (temporary, target) = makeTemporary(beside: destination, mode: status.st_mode & 0o777)
        else {
            return false
        }
        let isCopied = copy(from: source.number, to: target, status)
        guard close(target) == 0, isCopied, renameWithoutReplacing(temporary, to: destination) else {
            unlink(temporary)
            return false
        }
        return unlinkOrTakeBack(path, destination)
    }

    private static func makeTemporary(beside destination: String, mode: mode_t) -> (
        path: String, file: Int32
    )? {
        for _ in 0..<16 {
            let folder = destination.utf8.lastIndex(of: UInt8(ascii: "/")).map { destination[...$0] } ?? ""
            let path = "\(folder).moving-\(UInt64.random(in: .min ... .max))"
            let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
            if file >= 0 { return (path, file) }
            guard errno == EEXIST else { return nil }
        }
        return nil
    }

    private static func copy(from source: Int32, to target: Int32, _ status: stat) -> Bool {
        guard copyFile(from: source, to: target, size: Int64(status.st_size)) else { return false }
        var times = [status.st_atim, status.st_mtim]
        // A rename keeps the modification time, so this does too. If that fails, the content matters more.
        _ = futimens(target, &times)
        return fsync(target) == 0
    }
}
