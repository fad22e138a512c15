import Glibc

/// Lists the names in a folder.
package enum FolderListing {
    /// The most names that are read from one folder, because a hostile folder may contain any number.
    package static let most = 4096

    /// The names, sorted by bytes, without `.` and `..`; nil, with errno, if the folder cannot be read.
    package static func names(_ folder: String) -> [String]? {
        guard let stream = opendir(folder) else { return nil }
        return names(stream, most: most).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The names in the folder of a descriptor, which is not changed, in the order of the file system, without `.`
    /// and `..`. Their number is not limited. Nil with errno set if the folder cannot be read.
    package static func names(in folder: Int32) -> [String]? {
        // The stream takes ownership of its descriptor, and reading changes that descriptor's position.
        let copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { return nil }
        guard let stream = fdopendir(copy) else {
            let code = errno
            close(copy)
            errno = code
            return nil
        }
        return names(stream, most: .max)
    }

    /// At most `most` names of an open folder, which is closed.
    private static func names(_ stream: OpaquePointer, most: Int) -> [String] {
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < most, let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

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
