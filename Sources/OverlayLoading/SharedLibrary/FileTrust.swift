import Diagnostics
import Glibc
import Platform

/// Checks that only root and this user can change a file or folder.
enum FileTrust {
    /// Users other than root and this user who can change a file.
    enum Problem: Equatable {
        /// The user who owns the file.
        case owner(uid_t)
        /// The group of the file, with these permissions.
        case group(mode_t)
        /// All users, with these permissions.
        case everyone(mode_t)

        /// Explains why the code in a file cannot be trusted.
        ///
        /// - Parameter subject: the name of the file or folder, with which the sentence begins.
        func message(_ subject: String) -> String {
            switch self {
            case .owner(let user):
                "\(subject) belongs to another user (\(user)), so its code cannot be trusted."
            case .group(let mode):
                "\(subject) is writable by its group (mode \(Self.octal(mode))), so its code cannot be trusted."
            case .everyone(let mode):
                "\(subject) is writable by everyone (mode \(Self.octal(mode))), so its code cannot be trusted."
            }
        }

        private static func octal(_ mode: mode_t) -> String { String(mode & 0o7777, radix: 8) }
    }

    /// The other users who can change a file; nil if only root and this user can.
    ///
    /// `user` is the effective user of this process.
    static func problem(mode: mode_t, owner: uid_t, user: uid_t) -> Problem? {
        if owner != 0, owner != user { return .owner(owner) }
        switch mode & 0o022 {
        case 0: return nil
        case 0o020: return .group(mode)
        default: return .everyone(mode)
        }
    }

    /// The problem of a file with this status.
    static func problem(_ status: stat) -> Problem? {
        problem(mode: status.st_mode, owner: status.st_uid, user: geteuid())
    }

    /// Throws an error for an existing folder that others can change, or that contains such a file or folder at any
    /// depth. The target of a symbolic link is checked, but not the files in a target folder. Throws
    /// `writableByOthers`, and `unreadable` for files that cannot be examined, more than `deepest` nested folders, or
    /// more than `most` entries.
    static func check(folder: String) throws(OverlayRefusal) {
        var status = stat()
        guard stat(folder, &status) == 0 else {
            if errno == ENOENT { return }
            throw OverlayRefusal(
                .unreadable, "The folder \(folder) cannot be accessed: \(systemText(errno)).")
        }
        if let problem = problem(status) { throw refusal("The folder \(folder)", problem) }
        var left = most
        var folders = [(path: folder, depth: 1)]
        while let next = folders.popLast() {
            guard next.depth <= deepest else {
                throw OverlayRefusal(.unreadable, "The folder \(next.path) is nested too deeply to check.")
            }
            guard let names = FolderListing.names(next.path) else {
                throw OverlayRefusal(
                    .unreadable, "The folder \(next.path) cannot be listed: \(systemText(errno)).")
            }
            left -= names.count
            guard names.count < FolderListing.most, left >= 0 else {
                throw OverlayRefusal(.unreadable, "The folder \(folder) has too many files to check.")
            }
            for name in names {
                let path = "\(next.path)/\(name)"
                // A file that was removed in the meantime cannot be loaded.
                guard lstat(path, &status) == 0 else { continue }
                let isFolder = status.st_mode & S_IFMT == S_IFDIR
                guard stat(path, &status) == 0 else { continue }
                if let problem = problem(status) { throw refusal(path, problem) }
                if isFolder { folders.append((path, next.depth + 1)) }
            }
        }
    }

    /// The largest number of nested folders.
    private static let deepest = 32
    /// The largest number of files and folders.
    private static let most = 65_536

    /// Creates the refusal for a file or folder with a problem.
    static func refusal(_ subject: String, _ problem: Problem) -> OverlayRefusal {
        OverlayRefusal(
            .writableByOthers, problem.message(subject),
            hint: "Make sure that you own it, then run chmod go-w on it.")
    }
}
