import Glibc
import HostErrors
import Platform

/// The location and kind of a source.
package struct SourcePlace: Hashable, Sendable {
    /// The kind of a source.
    package enum Kind: String, Sendable {
        /// Files in folders.
        case folder
        /// A library of calibre.
        case calibre
    }

    /// The folder, without symbolic links.
    package let path: String
    /// The kind of the source.
    package let kind: Kind
    /// Whether the user requested that the source is read as files in folders even if it is a calibre library.
    private let isFolderByWish: Bool

    /// Determines the kind of the source in a folder.
    ///
    /// - Parameter asFolder: whether to treat a calibre library as files in folders.
    /// - Throws: `inputUnreadable` if the path is not a folder, or if the database of a calibre library cannot be
    ///   accessed.
    package init(_ path: String, asFolder: Bool = false) throws(HostError) {
        isFolderByWish = asFolder
        guard !path.isEmpty else {
            throw HostError(
                .usage, "The source is empty.",
                hint: "Give a folder of books, or the folder of a calibre library.")
        }
        guard let resolved = realpath(path, nil) else {
            throw HostError(
                .inputUnreadable, fileProblem("Cannot open the source", errno), subject: path,
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

    /// Throws an error for a calibre library without a database, because its books cannot be considered removed.
    ///
    /// The folder counts as such a library if it was one in the last sync or, before the first sync, if it contains
    /// files of calibre. A source that was synced as a folder before remains a folder.
    ///
    /// - Parameter last: the kind of the source in the last sync; nil before the first one.
    /// - Throws: `inputUnreadable` for such a library.
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
                + "Nothing was changed on the device.",
            hintCode: .asFolder)
    }

    /// Whether the folder contains calibre's database, even if it is treated as files in folders.
    package var hasDatabase: Bool { access(path + "/metadata.db", F_OK) == 0 }

    /// The last component of the path, by which `cc_mappings` identifies a library.
    package var name: String { path.pathNames.last.map { String($0) } ?? path }
}
