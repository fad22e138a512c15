import Glibc
import Platform

/// Files that calibre creates in the folder of a library. A folder that contains them but no database has lost the
/// database.
enum CalibreMarkers {
    /// Files and folders that calibre creates beside the database.
    private static let names = [
        "metadata_db_prefs_backup.json", ".caltrash", ".calnotes", "full-text-search.db",
    ]
    /// The largest number of author folders that are examined, and of book folders in all of them together.
    private static let most = 4096
    /// The largest size of a `metadata.opf` that is read, in bytes.
    private static let largest: off_t = 4 << 20

    /// Whether a folder was a calibre library.
    static func areIn(_ folder: String) -> Bool {
        names.contains { access(folder + "/" + $0, F_OK) == 0 } || hasBookFolder(folder)
    }

    /// Whether there is a folder `Author/Title (N)` whose `metadata.opf` identifies it as book N of a library.
    /// Backups have similar folders, but without this identification.
    private static func hasBookFolder(_ folder: String) -> Bool {
        var (authors, titles) = (most, most)
        for author in folders(folder, &authors) {
            for title in folders(author, &titles) {
                guard let number = number(title),
                    let text = SmallFile.bytes(title + "/metadata.opf", most: largest)
                else { continue }
                let mark = "id=\"calibre_id\">\(number)<"
                if String(decoding: text, as: UTF8.self).contains(mark) { return true }
            }
        }
        return false
    }

    /// The folders in a folder, except hidden ones and links.
    private static func folders(_ folder: String, _ left: inout Int) -> [String] {
        var found: [String] = []
        _ = FolderListing.each(folder) { entry in
            guard left > 0 else { return false }
            guard let name = entry.name, !name.hasPrefix(".") else { return true }
            var status = stat()
            let path = folder + "/" + name
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return true }
            left -= 1
            found.append(path)
            return true
        }
        return found
    }

    /// The number N of `Title (N)`; nil for any other name.
    private static func number(_ path: String) -> Int? {
        guard path.hasSuffix(")"), let open = path.lastIndex(of: "(") else { return nil }
        let digits = path[path.index(after: open)...].dropLast()
        return digits.utf8.allSatisfy { (48...57).contains($0) } ? Int(digits) : nil
    }
}
