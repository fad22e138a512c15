import Glibc
import HostErrors
import Platform

/// Where a source is, and what it is.
package struct SourcePlace: Hashable, Sendable {
    /// What a source is.
    package enum Kind: String, Sendable {
        /// Files in folders.
        case folder
        /// A library of calibre.
        case calibre
    }

    /// The folder, without symbolic links.
    package let path: String
    /// What it is.
    package let kind: Kind
    /// Whether the person wants it read as files in folders, also if it is a calibre library.
    private let isFolderByWish: Bool

    /// Looks at a folder.
    ///
    /// - Parameter asFolder: whether it counts as files in folders also where it is a calibre library.
    /// - Throws: `inputUnreadable` if it is none, or if the database of a calibre library cannot be told.
    package init(_ path: String, asFolder: Bool = false) throws(HostError) {
        isFolderByWish = asFolder
        guard !path.isEmpty else {
            throw HostError(
                .usage, "The source is empty.",
                hint: "Give a folder of books, or the folder of a calibre library.")
        }
        guard let resolved = realpath(path, nil) else {
            throw HostError(
                .inputUnreadable, "Cannot open the source: \(systemText(errno)).", subject: path,
                native: .posix(errno))
        }
        defer { free(resolved) }
        let folder = String(cString: resolved)
        self.path = folder
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw HostError(
                .inputUnreadable, "The source is not a folder.", subject: path,
                hint: "Give a folder of books, or the folder of a calibre library.")
        }
        guard !asFolder else {
            kind = .folder
            return
        }
        if lstat(folder + "/metadata.db", &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw HostError(
                    .inputUnreadable, "The database of this calibre library is not a regular file.",
                    subject: folder + "/metadata.db", hint: "Nothing was changed on the device.")
            }
            kind = .calibre
        } else if errno == ENOENT {
            kind = .folder
        } else {
            throw HostError(
                .inputUnreadable, "Cannot read the source: \(systemText(errno)).", subject: path,
                native: .posix(errno))
        }
    }

    /// Refuses a calibre library that lost its database: none of its books is known to be gone.
    ///
    /// It was one if the last sync says so, or, where there was none, if calibre left traces. A folder that was synced as one before stays
    /// one.
    ///
    /// - Parameter last: what the source was when it was last agreed on; nil before the first run.
    /// - Throws: `inputUnreadable`.
    package func check(last: Kind?) throws(HostError) {
        guard kind == .folder, !isFolderByWish, last != .folder else { return }
        guard last == .calibre || CalibreMarkers.areIn(path) else { return }
        throw HostError(
            .inputUnreadable,
            last == .calibre
                ? "The database of this calibre library is missing."
                : "The folder looks like a calibre library whose database is missing.",
            subject: path + "/metadata.db",
            hint: "Open the library in calibre to restore it, or use --as-folder to sync the files in it. "
                + "Nothing was changed on the device.")
    }

    /// Whether calibre's database is in the folder, also where it counts as files in folders.
    package var hasDatabase: Bool { access(path + "/metadata.db", F_OK) == 0 }

    /// The last part of its path, by which `cc_mappings` knows a library.
    package var name: String { path.pathNames.last.map { String($0) } ?? path }
}
