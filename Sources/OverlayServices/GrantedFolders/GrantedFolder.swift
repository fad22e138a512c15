import Glibc
import HostErrors
import Platform

/// The folder that the user selected for a sync, as an overlay may access it. Nothing outside it can be reached.
///
/// Every component of a path is opened relative to its parent folder, and symbolic links are never followed. For use
/// by one thread.
package final class GrantedFolder {
    /// The largest number of entries in a listing of one folder (`OVL_SOURCE_ENTRIES_LIMIT`).
    static let mostEntries = 100_000

    /// The absolute path of the folder, without symbolic links.
    package let path: String
    /// The user's trash; nil to move removed files to a trash in the folder.
    let trash: String?
    private let descriptor: FileDescriptor
    /// Whether this process holds the folder's lock.
    private var isLocked = false
    /// The folders from which leftovers were removed.
    private var swept: Set<String> = []

    /// Opens a folder.
    ///
    /// - Parameters:
    ///   - path: an absolute path without symbolic links.
    ///   - trash: the user's trash, such as `~/.local/share/Trash`.
    /// - Throws: `inputUnreadable`.
    package init(_ path: String, trash: String? = nil) throws(HostError) {
        guard let descriptor = FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) else {
            throw HostError(
                .inputUnreadable, fileProblem("Cannot open the source", errno), subject: path,
                native: .posix(errno))
        }
        self.path = path
        self.trash = trash
        self.descriptor = descriptor
    }

    /// Waits until no other program syncs this folder, and locks it until this object is released.
    ///
    /// - Parameters:
    ///   - waiting: called once if the call has to wait.
    ///   - isCancelled: ends the wait with `cancelled`.
    package func lock(waiting: () -> Void, isCancelled: () -> Bool) throws(HostError) {
        // On a file system without locks, changes by other programs are detected only by the stamps.
        if waitForLock(of: descriptor.number, waiting: waiting, isCancelled: isCancelled) == ECANCELED {
            throw HostError(.cancelled, "The command was cancelled.")
        }
        isLocked = true
    }

    // MARK: looking

    /// The entries of a folder, sorted by the bytes of their names, and the number of names that are omitted because
    /// they are not UTF-8.
    ///
    /// - Parameter sweeping: whether to remove leftovers of interrupted transfers first.
    func list(
        _ path: GrantedPath, sweeping: Bool = false
    ) throws(HostError) -> (files: [GrantedFile], unreadable: Int) {
        let folder = try open(path.names[...], of: path)
        if sweeping { sweep(folder, path.names[...]) }
        var (files, unreadable): ([GrantedFile], Int) = ([], 0)
        let code = try FolderListing.each(in: folder.number) { entry throws(HostError) in
            guard let name = entry.name else {
                unreadable += 1
                return true
            }
            // Skip entries that were removed in the meantime.
            guard !GrantedPath.isHosts(name), let file = Self.entry(name, folder) else { return true }
            guard files.count < Self.mostEntries else {
                throw HostError(
                    .invalidArgument, "The folder has more than \(Self.mostEntries) entries.",
                    subject: path.text)
            }
            files.append(file)
            return true
        }
        guard code == 0 else { throw Self.failed("read", path.text, code) }
        files.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return (files, unreadable)
    }

    /// The entry at a path.
    func stat(_ path: GrantedPath) throws(HostError) -> GrantedFile {
        guard let name = path.names.last else {
            guard let status = descriptor.status else { throw Self.failed("read", path.text, errno) }
            return GrantedFile("", status)
        }
        let folder = try open(path.names.dropLast(), of: path)
        guard let file = Self.entry(name, folder) else { throw Self.failed("read", path.text, errno) }
        return file
    }

    /// The entry with a name in an open folder; nil, with errno set, if there is none.
    static func entry(_ name: String, _ folder: borrowing FileDescriptor) -> GrantedFile? {
        var status = Glibc.stat()
        guard fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return GrantedFile(name, status)
    }

    // MARK: reading

    /// Opens a regular file.
    ///
    /// - Parameter expected: the required stamp of the file; nil for any.
    /// - Throws: `changed` if the stamp differs, `notFound`, `accessRefused` for a link or another entry that is not
    ///   a file, `hostIO`.
    func read(_ path: GrantedPath, expected: String?) throws(HostError) -> GrantedReading {
        guard let name = path.names.last else { throw Self.noFile(path.text) }
        let folder = try open(path.names.dropLast(), of: path)
        guard let file = FileDescriptor(opening: name, in: folder.number, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        else { throw Self.failed("read", path.text, errno) }
        guard let status = file.status else { throw Self.failed("read", path.text, errno) }
        let info = GrantedFile(name, status)
        guard info.kind == .regular else { throw Self.noFile(path.text) }
        if let expected, info.stamp != expected { throw Self.changed(path.text) }
        return GrantedReading(file, info, path.text)
    }

    // MARK: folders

    /// Opens the folder at the first components of a path.
    ///
    /// - Parameter making: whether to create missing folders.
    func open(
        _ names: ArraySlice<String>, of path: GrantedPath, making: Bool = false
    ) throws(HostError) -> FileDescriptor {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
        guard var folder = FileDescriptor(opening: ".", in: descriptor.number, flags) else {
            throw Self.failed("read", path.text, errno)
        }
        for name in names {
            if making, mkdirat(folder.number, name, 0o777) != 0, errno != EEXIST {
                throw Self.failed("write", path.text, errno)
            }
            guard let next = FileDescriptor(opening: name, in: folder.number, flags) else {
                let code = errno
                // A link in place of a folder does not count as missing.
                let isLink = code == ENOTDIR && Self.entry(name, folder)?.kind == .link
                throw Self.failed("read", path.text, isLink ? ELOOP : code)
            }
            folder = next
        }
        return folder
    }

    /// Removes files of transfers whose process has ended or that were interrupted at least an hour ago, and
    /// completes interrupted replacements. Runs once for each folder. Files that a transfer can continue are kept for
    /// 30 days.
    func sweep(_ folder: borrowing FileDescriptor, _ names: ArraySlice<String>) {
        guard swept.insert(names.joined(separator: "/")).inserted else { return }
        for name in FolderListing.names(in: folder.number) ?? [] where GrantedPath.isHosts(name) {
            guard let file = Self.entry(name, folder), file.kind == .regular else { continue }
            if let replaced = GrantedPath.file(ofReplaced: name) {
                if isLocked { putAway(file, folder, names, of: replaced) }
            } else if GrantedPath.isPartial(name) {
                if file.age > 30 * CivilTime.secondsPerDay { unlinkat(folder.number, name, 0) }
            } else if name.hasPrefix(GrantedPath.transfers) || GrantedPath.isFresh(name),
                Self.isAbandoned(file, folder)
            {
                unlinkat(folder.number, name, 0)
            }
        }
    }

    /// Removes the unfinished files of an app on a device, because no transfer will continue them.
    ///
    /// - Parameter prefix: the prefix of these file names.
    func removePartialFiles(_ prefix: String) {
        for name in FolderListing.names(in: descriptor.number) ?? []
        where name.hasPrefix(prefix) && GrantedPath.isPartial(name) {
            guard Self.entry(name, descriptor)?.kind == .regular else { continue }
            unlinkat(descriptor.number, name, 0)
        }
    }

    /// The folder in which unfinished files wait for the next transfer, valid as long as the object. This is the
    /// folder itself, so that all of them are in one place.
    var partialFileFolder: String { "/proc/self/fd/\(descriptor.number)" }

    /// Moves a replaced version to the trash, because another program may have written to it, even if it is the same
    /// file as the backup. Removes a new version that did not replace a file.
    private func putAway(
        _ file: GrantedFile, _ folder: borrowing FileDescriptor, _ names: ArraySlice<String>,
        of replaced: (name: String, backup: String)
    ) {
        // Before the names are exchanged, the file itself is the backup.
        if let backup = Self.entry(replaced.backup, folder),
            Self.entry(replaced.name, folder)?.hasContent(of: backup) == true
        {
            unlinkat(folder.number, file.name, 0)
            return
        }
        do throws(HostError) {
            try trash(
                file, folder, named: replaced.name, path: (names + [replaced.name]).joined(separator: "/"))
        } catch {
            // A listing does not need the trash. The file keeps its hidden name, and no replacement uses this name.
        }
    }

    /// Whether a file was left by a process that has ended, or by any process at least an hour ago. A process that
    /// still transfers the file, even on another computer that shares the folder, holds a lock on it.
    private static func isAbandoned(_ file: GrantedFile, _ folder: borrowing FileDescriptor) -> Bool {
        let process = GrantedPath.process(ofTransfer: file.name)
        let hasEnded = process.map { isGone(process: $0) } ?? false
        let isOld = file.age > 3600
        guard hasEnded || isOld,
            let open = FileDescriptor(
                opening: file.name, in: folder.number, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        else { return false }
        // On a file system without locks, only the age is used.
        return flock(open.number, LOCK_EX | LOCK_NB) == 0 || (isOld && errno != EWOULDBLOCK)
    }

    // MARK: errors

    static func changed(_ path: String) -> HostError {
        HostError(
            .changed, "The file was changed by another program.", subject: path,
            hint: "Run the command again.", isRetryable: true)
    }

    private static func noFile(_ path: String) -> HostError {
        HostError(.invalidArgument, "It is not a regular file.", subject: path)
    }

    static func failed(_ verb: String, _ path: String, _ code: Int32) -> HostError {
        switch code {
        case ENOENT:
            HostError(.notFound, "It is not in the source.", subject: path, native: .posix(code))
        case ELOOP:
            HostError(
                .accessRefused, "Symbolic links in the source are not followed.", subject: path,
                native: .posix(code))
        default:
            HostError(
                code == ENOSPC || code == EDQUOT ? .noSpace : .hostIO,
                "The file in the source cannot be \(verb == "read" ? "read" : "written"): \(systemText(code)).",
                subject: path, native: .posix(code))
        }
    }
}
