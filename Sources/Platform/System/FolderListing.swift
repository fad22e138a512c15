import Glibc

/// Names in a folder.
package enum FolderListing {
    /// Most names that are read of one folder, because a hostile folder may hold any number.
    package static let most = 4096

    /// The names, sorted by bytes, without `.` and `..`; nil with errno set if the folder cannot be read.
    package static func names(_ folder: String) -> [String]? {
        guard let stream = opendir(folder) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < most, let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
