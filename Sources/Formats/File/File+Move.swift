import CSystemShims
import Glibc

extension File {
    /// Moves the file and returns it at its new place; nil if that fails, and then the file is where it was.
    ///
    /// Never replaces what is at the destination, and makes no folders. To another file system it is copied beside the
    /// destination, written out, and renamed before the original is removed. The format does not change with the name: a
    /// known one is kept, and for one not yet guessed the old extension stays a hint. This object keeps its path and format
    /// as a record. Moving a file onto itself succeeds.
    ///
    /// - Parameter destinationPath: the whole new path, extension included.
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

    /// Whether the destination names this very file by the same or another spelling of its path.
    private func isAlready(at destination: String, _ status: stat) -> Bool {
        if destination.utf8.elementsEqual(path.utf8) { return true }
        var other = stat()
        // Two names of a file with one link are two spellings; with several links they are two files.
        return lstat(destination, &other) == 0 && other.st_dev == status.st_dev
            && other.st_ino == status.st_ino
            && status.st_nlink == 1
    }

    private func rename(to destination: String, _ status: stat) -> Bool {
        if shim_rename_noreplace(path, destination) == 0 { return true }
        switch errno {
        case EXDEV: return status.st_mode & S_IFMT == S_IFREG && CrossDeviceMove.move(path, destination)
        // Some file systems cannot rename without replacing; a link is refused where something is.
        case EINVAL, ENOSYS: return link(path, destination) == 0 && unlinkOrTakeBack(destination)
        default: return false
        }
    }

    private func unlinkOrTakeBack(_ destination: String) -> Bool {
        if unlink(path) == 0 { return true }
        unlink(destination)
        return false
    }
}
