import CSystemShims
import Glibc

/// Renames a file within its file system, unless a file with the new name exists; false, with errno, if that fails.
///
/// After a failure the file still has its old name. Any thread.
package func renameWithoutReplacing(_ path: String, to destination: String) -> Bool {
    if shim_rename_noreplace(path, destination) == 0 { return true }
    // Some file systems do not support such a rename. A hard link does not replace an existing file either.
    guard [EINVAL, ENOSYS, ENOTSUP].contains(errno) else { return false }
    if link(path, destination) == 0 { return unlinkOrTakeBack(path, destination) }
    guard [EPERM, ENOTSUP, ENOSYS].contains(errno) else { return false }
    // The file system does not support links either: create an empty file to reserve the name, then replace it.
    let taken = open(destination, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard taken >= 0 else { return false }
    close(taken)
    if rename(path, destination) == 0 { return true }
    let failure = errno
    unlink(destination)
    errno = failure
    return false
}

/// Removes the old name of a file that has been given a new one. If that fails, the new name is removed, so that the
/// file does not exist twice.
package func unlinkOrTakeBack(_ path: String, _ destination: String) -> Bool {
    if unlink(path) == 0 { return true }
    let failure = errno
    unlink(destination)
    errno = failure
    return false
}

/// Moves a file from one open folder to a name in another, unless that name exists; returns 0, or the errno of the
/// failure (EEXIST).
///
/// After a failure the file still has its old name. Any thread.
package func renameWithoutReplacing(
    _ name: String, in folder: Int32, to newName: String, in newFolder: Int32
) -> Int32 {
    if shim_rename_noreplace_at(folder, name, newFolder, newName) == 0 { return 0 }
    let code = errno
    // The file system does not support such a rename. A hard link does not replace an existing file either.
    guard [EINVAL, ENOSYS, ENOTSUP].contains(code) else { return code }
    guard linkat(folder, name, newFolder, newName, 0) == 0 else { return errno }
    if unlinkat(folder, name, 0) == 0 { return 0 }
    let failure = errno
    unlinkat(newFolder, newName, 0)
    return failure
}

/// Exchanges two names in an open folder atomically; returns 0, or the errno of the failure. EINVAL means that the
/// file system does not support this.
package func exchangeNames(_ one: String, _ other: String, in folder: Int32) -> Int32 {
    shim_exchange_at(folder, one, other) == 0 ? 0 : errno
}
