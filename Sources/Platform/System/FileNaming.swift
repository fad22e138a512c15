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

/// Gives a name in an open folder to a file in another, unless something has it; 0, or the errno of the failure (EEXIST).
///
/// The file then has its old name. Any thread.
package func renameWithoutReplacing(
    _ name: String, in folder: Int32, to newName: String, in newFolder: Int32
) -> Int32 {
    if shim_rename_noreplace_at(folder, name, newFolder, newName) == 0 { return 0 }
    let code = errno
    // A link does not replace anything either, where the file system does not know that kind of renaming.
    guard [EINVAL, ENOSYS, ENOTSUP].contains(code) else { return code }
    guard linkat(folder, name, newFolder, newName, 0) == 0 else { return errno }
    if unlinkat(folder, name, 0) == 0 { return 0 }
    let failure = errno
    unlinkat(newFolder, newName, 0)
    return failure
}

/// Lets two names in an open folder change places at once; 0, or the errno of the failure. EINVAL: the file system cannot.
package func exchangeNames(_ one: String, _ other: String, in folder: Int32) -> Int32 {
    shim_exchange_at(folder, one, other) == 0 ? 0 : errno
}
