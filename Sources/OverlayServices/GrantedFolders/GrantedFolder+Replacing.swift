import Glibc
import HostErrors
import Platform

/// A new version of a file in a granted folder. It has a hidden name in the same folder until it is complete. An
/// incomplete file is removed with this object.
final class GrantedReplacement {
    private let folder: FileDescriptor
    private let name: String
    /// The hidden name of the new version.
    private var staged: String
    private let subject: String
    /// The stamp of the file to replace; nil if there must not be one.
    private let expected: String?
    private var isPlaced = false

    fileprivate init(
        _ folder: consuming FileDescriptor, _ name: String, _ subject: String, expected: String?
    ) {
        self.folder = folder
        (self.name, staged, self.subject, self.expected) = (
            name, GrantedPath.fresh(of: name), subject, expected
        )
        // Remove the new version of an interrupted run.
        unlinkat(self.folder.number, staged, 0)
    }

    deinit { if !isPlaced { unlinkat(folder.number, staged, 0) } }

    /// A path with which this process can access the hidden file, valid as long as the object.
    var stagedPath: String { "/proc/self/fd/\(folder.number)/\(staged)" }

    /// Writes the content.
    func write(_ bytes: UnsafeRawBufferPointer) throws(HostError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        guard let file = FileDescriptor(opening: staged, in: folder.number, flags, mode: 0o666) else {
            throw GrantedFolder.failed("write", subject, errno)
        }
        var code = writeAll(bytes, to: file.number)
        let lost = file.close()
        if code == 0 { code = lost }
        guard code == 0 else { throw GrantedFolder.failed("write", subject, code) }
    }

    /// Opens the content of the hidden file.
    func read() throws(HostError) -> GrantedReading {
        guard let file = FileDescriptor(opening: staged, in: folder.number, O_RDONLY | O_NOFOLLOW),
            let status = file.status
        else { throw GrantedFolder.failed("read", subject, errno) }
        return GrantedReading(file, GrantedFile(name, status), subject)
    }

    /// Gives the new version its final name. The replaced file becomes the backup. Returns the entry of the new
    /// version.
    ///
    /// - Throws: `changed` if the name belongs to another file or to none. In this case, nothing was changed.
    func place() throws(HostError) -> GrantedFile {
        let former = try formerFile()
        try settle(mode: former?.mode)
        if let former {
            try exchange(former)
        } else {
            let code = renameWithoutReplacing(staged, in: folder.number, to: name, in: folder.number)
            if code == EEXIST { throw GrantedFolder.changed(subject) }
            guard code == 0 else { throw GrantedFolder.failed("write", subject, code) }
        }
        isPlaced = true
        fsync(folder.number)
        guard let file = GrantedFolder.entry(name, folder) else { throw GrantedFolder.changed(subject) }
        return file
    }

    /// The file to replace; nil if there must not be one.
    private func formerFile() throws(HostError) -> GrantedFile? {
        let former = GrantedFolder.entry(name, folder)
        guard former?.stamp == expected, (former == nil) == (expected == nil) else {
            throw GrantedFolder.changed(subject)
        }
        return former
    }

    /// Writes the content to disk, and sets the permissions of the replaced file.
    private func settle(mode: mode_t?) throws(HostError) {
        guard let file = FileDescriptor(opening: staged, in: folder.number, O_RDONLY | O_NOFOLLOW) else {
            throw GrantedFolder.failed("write", subject, errno)
        }
        if let mode, fchmod(file.number, mode) != 0 { throw GrantedFolder.failed("write", subject, errno) }
        guard fsync(file.number) == 0 else { throw GrantedFolder.failed("write", subject, errno) }
    }

    /// Exchanges the new version and the previous file.
    private func exchange(_ former: GrantedFile) throws(HostError) {
        // After an interrupted exchange, this name shows a later run that the file may belong to another program.
        let replaced = GrantedPath.replaced(of: name)
        // An earlier run left another program's file with this name. This file and the backup are kept until it is in
        // the trash.
        guard GrantedFolder.entry(replaced, folder) == nil else {
            throw GrantedFolder.failed("write", subject, EEXIST)
        }
        try keep(former)
        var code = renameWithoutReplacing(staged, in: folder.number, to: replaced, in: folder.number)
        guard code == 0 else { throw GrantedFolder.failed("write", subject, code) }
        staged = replaced
        code = exchangeNames(staged, name, in: folder.number)
        if [EINVAL, ENOSYS, ENOTSUP].contains(code) { return try replace(former) }
        if code == ENOENT { throw GrantedFolder.changed(subject) }
        guard code == 0 else { throw GrantedFolder.failed("write", subject, code) }
        // Other programs can no longer replace the previous file, so compare it with the expected one only now.
        if GrantedFolder.entry(staged, folder)?.hasContent(of: former) == true {
            unlinkat(folder.number, staged, 0)
            return
        }
        code = exchangeNames(staged, name, in: folder.number)
        if code == 0 { throw GrantedFolder.changed(subject) }
        // The other program's file cannot be moved back, so it keeps the hidden name.
        isPlaced = true
        throw HostError(
            .hostIO, "The file was changed by another program and then replaced.", subject: subject,
            hint: "The other program's version is now '\(replaced)' in the same folder.",
            native: .posix(code))
    }

    /// Replaces the previous file on a file system that cannot exchange names.
    private func replace(_ former: GrantedFile) throws(HostError) {
        guard GrantedFolder.entry(name, folder)?.hasContent(of: former) == true else {
            throw GrantedFolder.changed(subject)
        }
        guard renameat(folder.number, staged, folder.number, name) == 0 else {
            throw GrantedFolder.failed("write", subject, errno)
        }
    }

    /// Creates the backup of the previous file before it is changed.
    private func keep(_ former: GrantedFile) throws(HostError) {
        let backup = GrantedPath.backup(of: name)
        unlinkat(folder.number, backup, 0)
        // Copy the previous version if the file system does not support hard links.
        if linkat(folder.number, name, folder.number, backup, 0) != 0 { try copy(to: backup, former) }
    }

    private func copy(to backup: String, _ former: GrantedFile) throws(HostError) {
        guard let source = FileDescriptor(opening: name, in: folder.number, O_RDONLY | O_NOFOLLOW) else {
            throw GrantedFolder.failed("read", subject, errno)
        }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        guard let target = FileDescriptor(opening: backup, in: folder.number, flags, mode: former.mode),
            copyFile(from: source.number, to: target.number, size: Int64(clamping: former.size)),
            fsync(target.number) == 0
        else { throw GrantedFolder.failed("write", subject, errno) }
    }
}

extension GrantedFolder {
    /// Starts replacing or creating a file. Creates its parent folders.
    ///
    /// - Parameter expected: the stamp of the file to replace; nil if there must not be one.
    /// - Throws: `changed` if the file differs from the expected one.
    func replacement(_ path: GrantedPath, expected: String?) throws(HostError) -> GrantedReplacement {
        guard let name = path.names.last else {
            throw HostError(.invalidArgument, "The folder itself cannot be written.", subject: path.text)
        }
        let folder = try open(path.names.dropLast(), of: path, making: expected == nil)
        let former = Self.entry(name, folder)
        guard former?.stamp == expected, (former == nil) == (expected == nil) else {
            throw Self.changed(path.text)
        }
        sweep(folder, path.names.dropLast())
        return GrantedReplacement(folder, name, path.text, expected: expected)
    }
}
