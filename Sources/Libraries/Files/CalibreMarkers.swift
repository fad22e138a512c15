import Glibc
import Platform

/// What calibre leaves in the folder of a library beside its database: a folder that has some lost the database.
enum CalibreMarkers {
    /// Files and folders that calibre keeps beside the database.
    private static let names = [
        "metadata_db_prefs_backup.json", ".caltrash", ".calnotes", "full-text-search.db",
    ]
    /// Most folders of authors, and as many of books in all of them together, that are looked at.
    private static let most = 4096
    /// Most bytes of a `metadata.opf` that are read.
    private static let largest: off_t = 4 << 20

    /// Whether a folder was a calibre library.
    static func areIn(_ folder: String) -> Bool {
        names.contains { access(folder + "/" + $0, F_OK) == 0 } || hasBookFolder(folder)
    }

    /// Whether there is a folder `Author/Title (N)` whose `metadata.opf` says that it is of book N of a library. Backups have such names,
    /// too, but say nothing of the kind.
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

    /// The folders in a folder, without hidden ones and links.
    private static func folders(_ folder: String, _ left: inout Int) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var found: [String] = []
        while left > 0, let entry = readdir(stream) {
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            guard bytes.first != UInt8(ascii: "."), let name = String(validating: bytes, as: UTF8.self) else {
                continue
            }
            var status = stat()
            let path = folder + "/" + name
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
            left -= 1
            found.append(path)
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
