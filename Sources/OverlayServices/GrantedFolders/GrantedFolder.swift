import Glibc
import HostErrors
import Platform

/// The one folder that the person named for a sync, as far as an overlay is granted access to it: nothing outside it can be reached.
///
/// Every name on the way is opened in the folder before it, and symbolic links are never followed. For one thread.
package final class GrantedFolder {
    /// Most entries that are listed of one folder (`OVL_SOURCE_ENTRIES_LIMIT`).
    static let mostEntries = 100_000

    /// The folder, an absolute path without symbolic links.
    package let path: String
    /// The person's trash; nil: what is removed stays in a trash in the folder.
    let trash: String?
    private let descriptor: FileDescriptor
    /// Whether this process holds the folder's lock.
    private var hasTurn = false
    /// The folders from which leftovers were removed.
    private var swept: Set<String> = []

    /// Opens a folder.
    ///
    /// - Parameters:
    ///   - path: an absolute path without symbolic links.
    ///   - trash: the person's trash, such as `~/.local/share/Trash`.
    /// - Throws: `inputUnreadable`.
    package init(_ path: String, trash: String? = nil) throws(HostError) {
        guard let descriptor = FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) else {
            throw HostError(
                .inputUnreadable, "Cannot open the source: \(systemText(errno)).", subject: path,
                native: .posix(errno))
        }
        self.path = path
        self.trash = trash
        self.descriptor = descriptor
    }

    /// Waits until no other program syncs this folder, and locks it until this object is released.
    ///
    /// - Parameters:
    ///   - waiting: called once if it has to wait.
    ///   - isCancelled: ends the wait with `cancelled`.
    package func takeTurn(waiting: () -> Void, isCancelled: () -> Bool) throws(HostError) {
        // On a file system without locks only the stamps notice another program.
        if waitForLock(of: descriptor.number, waiting: waiting, isCancelled: isCancelled) == ECANCELED {
            throw HostError(.cancelled, "The command was cancelled.")
        }
        hasTurn = true
    }

    // MARK: looking

    /// What is in a folder, in the order of the bytes of the names, and how many names are left out because they are not UTF-8.
    ///
    /// - Parameter sweeping: whether leftovers of transfers that were cut off are removed first.
    func list(
        _ path: GrantedPath, sweeping: Bool = false
    ) throws(HostError) -> (files: [GrantedFile], unreadable: Int) {
        let folder = try open(path.names[...], of: path)
        if sweeping { sweep(folder, path.names[...]) }
        let copy = openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let stream = fdopendir(copy) else {
            let code = errno
            _ = FileDescriptor(owning: copy)
            throw Self.failed("read", path.text, code)
        }
        defer { closedir(stream) }
        var (files, unreadable): ([GrantedFile], Int) = ([], 0)
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            guard let name = String(validating: bytes, as: UTF8.self) else {
                unreadable += 1
                continue
            }
            // What vanished meanwhile is left out.
            guard name != ".", name != "..", !GrantedPath.isHosts(name), let file = Self.look(name, folder)
            else { continue }
            guard files.count < Self.mostEntries else {
                throw HostError(
                    .invalidArgument, "The folder has more than \(Self.mostEntries) entries.",
                    subject: path.text)
            }
            files.append(file)
        }
        guard errno == 0 else { throw Self.failed("read", path.text, errno) }
        files.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return (files, unreadable)
    }

    /// What is at a path.
    func stat(_ path: GrantedPath) throws(HostError) -> GrantedFile {
        guard let name = path.names.last else {
            guard let status = descriptor.status else { throw Self.failed("read", path.text, errno) }
            return GrantedFile("", status)
        }
        let folder = try open(path.names.dropLast(), of: path)
        guard let file = Self.look(name, folder) else { throw Self.failed("read", path.text, errno) }
        return file
    }

    /// What has a name in an open folder; nil, with errno, if nothing has.
    static func look(_ name: String, _ folder: borrowing FileDescriptor) -> GrantedFile? {
        var status = Glibc.stat()
        guard fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return GrantedFile(name, status)
    }

    // MARK: reading

    /// Opens a regular file.
    ///
    /// - Parameter expected: the stamp it must have; nil: any.
    /// - Throws: `changed` if it has another, `notFound`, `accessRefused` for a link or something other than a file, `hostIO`.
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

    /// Opens the folder that some of the names of a path lead to.
    ///
    /// - Parameter making: whether missing folders are made.
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
                // A link in place of a folder is none that is missing.
                let isLink = code == ENOTDIR && Self.look(name, folder)?.kind == .link
                throw Self.failed("read", path.text, isLink ? ELOOP : code)
            }
            folder = next
        }
        return folder
    }

    /// Removes what transfers left in a folder whose process has ended, or that were cut off an hour ago or earlier, and tidies up after
    /// replacements that were cut off; once for each folder. What a transfer can go on with stays for 30 days.
    func sweep(_ folder: borrowing FileDescriptor, _ names: ArraySlice<String>) {
        guard swept.insert(names.joined(separator: "/")).inserted else { return }
        for name in FolderListing.names(in: folder.number) ?? [] where GrantedPath.isHosts(name) {
            guard let file = Self.look(name, folder), file.kind == .regular else { continue }
            if let replaced = GrantedPath.file(ofReplaced: name) {
                if hasTurn { putAway(file, folder, names, of: replaced) }
            } else if GrantedPath.isBegun(name) {
                if file.age > 30 * CivilTime.secondsPerDay { unlinkat(folder.number, name, 0) }
            } else if name.hasPrefix(GrantedPath.transfers) || GrantedPath.isFresh(name),
                Self.isAbandoned(file, folder)
            {
                unlinkat(folder.number, name, 0)
            }
        }
    }

    /// Removes what transfers of an app on a device could go on with: no transfer wants it any more.
    ///
    /// - Parameter prefix: what the names of these files begin with.
    func removeBegun(_ prefix: String) {
        for name in FolderListing.names(in: descriptor.number) ?? []
        where name.hasPrefix(prefix) && GrantedPath.isBegun(name) {
            guard Self.look(name, descriptor)?.kind == .regular else { continue }
            unlinkat(descriptor.number, name, 0)
        }
    }

    /// Where unfinished files stay for the next transfer, valid as long as the object: the folder itself, so that one look finds all.
    var begunFolder: String { "/proc/self/fd/\(descriptor.number)" }

    /// Moves a replaced version to the trash, because another program may have written it, also into the file that is the backup.
    /// Removes a new version that did not get to replace anything.
    private func putAway(
        _ file: GrantedFile, _ folder: borrowing FileDescriptor, _ names: ArraySlice<String>,
        of replaced: (name: String, backup: String)
    ) {
        // Before names change places, the file itself is the backup.
        if let backup = Self.look(replaced.backup, folder),
            Self.look(replaced.name, folder)?.hasContent(of: backup) == true
        {
            unlinkat(folder.number, file.name, 0)
            return
        }
        do throws(HostError) {
            try trash(
                file, folder, named: replaced.name, path: (names + [replaced.name]).joined(separator: "/"))
        } catch {
            // Listing goes on without a trash. The file keeps its hidden name, and no replacement takes it.
        }
    }

    /// Whether a process that has ended left a file, or any an hour ago. One that still transfers it, also on another computer that
    /// shares the folder, holds a lock.
    private static func isAbandoned(_ file: GrantedFile, _ folder: borrowing FileDescriptor) -> Bool {
        let process = GrantedPath.process(ofTransfer: file.name)
        let hasEnded = process.map { kill($0, 0) != 0 && errno == ESRCH } ?? false
        let isOld = file.age > 3600
        guard hasEnded || isOld,
            let open = FileDescriptor(
                opening: file.name, in: folder.number, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        else { return false }
        // On a file system without locks only the age counts.
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
