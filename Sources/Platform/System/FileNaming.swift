import CSystemShims
import Glibc

/// Gives a file another name on its file system, unless something has that name; false, with errno, if that fails.
///
/// The file then has its old name. Any thread.
package func renameWithoutReplacing(_ path: String, to destination: String) -> Bool {
    if shim_rename_noreplace(path, destination) == 0 { return true }
    // Some file systems do not know that kind of renaming. A link does not replace anything either.
    guard [EINVAL, ENOSYS, ENOTSUP].contains(errno) else { return false }
    if link(path, destination) == 0 { return unlinkOrTakeBack(path, destination) }
    guard [EPERM, ENOTSUP, ENOSYS].contains(errno) else { return false }
    // Without links either: the name is taken first, and then replaced.
    let taken = open(destination, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard taken >= 0 else { return false }
    close(taken)
    if rename(path, destination) == 0 { return true }
    let failure = errno
    unlink(destination)
    errno = failure
    return false
}

/// Removes the old name of a file that has a new one. If that fails the new one goes: rather one file at the old place than two.
package func unlinkOrTakeBack(_ path: String, _ destination: String) -> Bool {
    if unlink(path) == 0 { return true }
    let failure = errno
    unlink(destination)
    errno = failure
    return false
}
