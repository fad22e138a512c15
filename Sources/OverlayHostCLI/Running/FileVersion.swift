import Glibc

/// Identifies a version of a file, such as the preferences.
struct FileVersion: Equatable {
    private var parts: [Int] = []

    /// The version of the present file; a missing file has a version too.
    init(_ file: String) {
        var status = stat()
        guard stat(file, &status) == 0 else { return }
        parts = [
            Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
        ]
    }
}
