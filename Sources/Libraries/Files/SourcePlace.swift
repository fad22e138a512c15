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

    /// Files that calibre keeps beside its database.
    private static let traces = ["metadata_db_prefs_backup.json", ".calnotes"]

    /// Looks at a folder.
    ///
    /// - Throws: `inputUnreadable` if it is none, or a calibre library whose database is missing: then no book of it is known
    ///   to be gone.
    package init(_ path: String) throws(HostError) {
        guard !path.isEmpty, let resolved = realpath(path, nil) else {
            throw HostError(
                .inputUnreadable, "Cannot open the source: \(systemMessage(path.isEmpty ? ENOENT : errno)).",
                subject: path, native: .posix(errno))
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
        if lstat(folder + "/metadata.db", &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw HostError(
                    .inputUnreadable, "The database of this calibre library is not a regular file.",
                    subject: folder + "/metadata.db", hint: "Nothing was changed on the device.")
            }
            kind = .calibre
        } else if errno == ENOENT {
            guard !Self.traces.contains(where: { access(folder + "/" + $0, F_OK) == 0 }) else {
                throw Self.lostDatabase(folder)
            }
            kind = .folder
        } else {
            throw HostError(
                .inputUnreadable, "Cannot read the source: \(systemMessage(errno)).", subject: path,
                native: .posix(errno))
        }
    }

    /// Throws if the source was a calibre library when it was last agreed on, and is none now.
    package func check(last: Kind?) throws(HostError) {
        if last == .calibre, kind == .folder { throw Self.lostDatabase(path) }
    }

    /// The last part of its path, by which `cc_mappings` knows a library.
    package var name: String { path.pathNames.last.map { String($0) } ?? path }

    private static func lostDatabase(_ path: String) -> HostError {
        HostError(
            .inputUnreadable, "The database of this calibre library is missing.",
            subject: path + "/metadata.db",
            hint: "Open the library in calibre to restore it. Nothing was changed on the device.")
    }
}
