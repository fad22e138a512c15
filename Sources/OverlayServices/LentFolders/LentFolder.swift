import Glibc
import HostErrors
import Platform

/// The one folder that the person named for a sync, as far as it is lent to an overlay: nothing outside it can be reached.
///
/// Every name on the way is opened in the folder before it, and symbolic links are never followed. For one thread.
package final class LentFolder {
    /// Most entries that are listed of one folder (`OVL_SOURCE_ENTRIES_LIMIT`).
    static let mostEntries = 100_000

    /// The folder, an absolute path without symbolic links.
    package let path: String
    /// The person's trash; nil: what is removed stays in a trash in the folder.
    let trash: String?
    private let descriptor: FileDescriptor
    /// Whether no other program synchronises the folder.
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
                .inputUnreadable, "Cannot open the source: \(systemMessage(errno)).", subject: path,
                native: .posix(errno))
        }
        self.path = path
        self.trash = trash
        self.descriptor = descriptor
    }

    /// Waits until no other program synchronises this folder; it is this one's until the object goes.
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
        _ path: LentPath, sweeping: Bool = false
    ) throws(HostError) -> (files: [LentFile], unreadable: Int) {
        let folder = try open(path.names[...], of: path)
        if sweeping { sweep(folder, path.names[...]) }
        let copy = openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let stream = fdopendir(copy) else {
            let code = errno
            _ = FileDescriptor(owning: copy)
            throw Self.failed("read", path.text, code)
        }
        defer { closedir(stream) }
        var (files, unreadable): ([LentFile], Int) = ([], 0)
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            guard let name = String(validating: bytes, as: UTF8.self) else {
                unreadable += 1
                continue
            }
            // What vanished meanwhile is left out.
            guard name != ".", name != "..", !LentPath.isHosts(name), let file = Self.look(name, folder)
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
    func stat(_ path: LentPath) throws(HostError) -> LentFile {
        guard let name = path.names.last else {
            guard let status = descriptor.status else { throw Self.failed("read", path.text, errno) }
            return LentFile("", status)
        }
        let folder = try open(path.names.dropLast(), of: path)
        guard let file = Self.look(name, folder) else { throw Self.failed("read", path.text, errno) }
        return file
    }

    /// What has a name in an open folder; nil, with errno, if nothing has.
    static func look(_ name: String, _ folder: borrowing FileDescriptor) -> LentFile? {
        var status = Glibc.stat()
        guard fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return LentFile(name, status)
    }

    // MARK: reading

    /// Opens a regular file.
    ///
    /// - Parameter expected: the stamp it must have; nil: any.
    /// - Throws: `changed` if it has another, `notFound`, `accessRefused` for a link or something other than a file, `hostIO`.
    func read(_ path: LentPath, expected: String?) throws(HostError) -> LentReading {
        guard let name = path.names.last else { throw Self.noFile(path.text) }
        let folder = try open(path.names.dropLast(), of: path)
        guard let file = FileDescriptor(opening: name, in: folder.number, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        else { throw Self.failed("read", path.text, errno) }
        guard let status = file.status else { throw Self.failed("read", path.text, errno) }
        let info = LentFile(name, status)
        guard info.kind == .regular else { throw Self.noFile(path.text) }
        if let expected, info.stamp != expected { throw Self.changed(path.text) }
        return LentReading(file, info, path.text)
    }

    // MARK: folders

    /// Opens the folder that some of the names of a path lead to.
    ///
    /// - Parameter making: whether missing folders are made.
    func open(
        _ names: ArraySlice<String>, of path: LentPath, making: Bool = false
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
    /// replacements that were cut off; once for each folder.
    func sweep(_ folder: borrowing FileDescriptor, _ names: ArraySlice<String>) {
        guard swept.insert(names.joined(separator: "/")).inserted else { return }
        let copy = openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let stream = fdopendir(copy) else {
            _ = FileDescriptor(owning: copy)
            return
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let file = Self.look(name, folder), file.kind == .regular else { continue }
            if let replaced = LentPath.file(ofReplaced: name) {
                if hasTurn { putAway(file, folder, names, of: replaced) }
            } else if name.hasPrefix(LentPath.transfers) || LentPath.isFresh(name),
                Self.isAbandoned(file, folder)
            {
                unlinkat(folder.number, name, 0)
            }
        }
    }

    /// Moves a replaced version to the trash, because another program may have written it, also into the file that is the backup.
    /// Removes a new version that did not get to replace anything.
    private func putAway(
        _ file: LentFile, _ folder: borrowing FileDescriptor, _ names: ArraySlice<String>,
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
    private static func isAbandoned(_ file: LentFile, _ folder: borrowing FileDescriptor) -> Bool {
        let process = LentPath.process(ofTransfer: file.name)
        let hasEnded = process.map { kill($0, 0) != 0 && errno == ESRCH } ?? false
        let isOld = Int64(time(nil)) - file.modified / 1_000_000_000 > 3600
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
                "The file in the source cannot be \(verb == "read" ? "read" : "written"): \(systemMessage(code)).",
                subject: path, native: .posix(code))
        }
    }
}
