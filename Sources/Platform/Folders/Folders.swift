import Glibc

/// Creates a folder and its parents; returns 0 if it exists afterwards, else the errno of the failure. ENOTDIR means
/// that another file has its name.
///
/// A path without a leading slash is relative to the working folder of the process. Any thread.
package func makeFolders(_ path: String, mode: mode_t) -> Int32 {
    if mkdir(path, mode) == 0 { return 0 }
    var code = errno
    var status = stat()
    if stat(path, &status) == 0 { return status.st_mode & S_IFMT == S_IFDIR ? 0 : ENOTDIR }
    guard code == ENOENT, let parent = path.pathFolder, !parent.isEmpty else { return code }
    code = makeFolders(String(parent), mode: mode)
    guard code == 0 else { return code }
    return mkdir(path, mode) == 0 || errno == EEXIST ? 0 : errno
}
