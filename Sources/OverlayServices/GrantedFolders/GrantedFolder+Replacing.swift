import Glibc
import HostErrors
import Platform

/// A file that takes its place in a granted folder when it is whole: until then it has a hidden name beside it, which goes with this
/// object.
final class GrantedReplacement {
    private let folder: FileDescriptor
    private let name: String
    /// The hidden name of the content.
    private var staged: String
    private let subject: String
    /// What the file replaces must have as its stamp; nil: nothing may be there.
    private let expected: String?
    private var isPlaced = false

    fileprivate init(
        _ folder: consuming FileDescriptor, _ name: String, _ subject: String, expected: String?
    ) {
        self.folder = folder
        (self.name, staged, self.subject, self.expected) = (
            name, GrantedPath.fresh(of: name), subject, expected
        )
        // What a run that was cut off left of a new version.
        unlinkat(self.folder.number, staged, 0)
    }

    deinit { if !isPlaced { unlinkat(folder.number, staged, 0) } }

    /// A path by which this process reaches the hidden name, valid as long as the object.
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

    /// Opens the content that is under the hidden name.
    func read() throws(HostError) -> GrantedReading {
        guard let file = FileDescriptor(opening: staged, in: folder.number, O_RDONLY | O_NOFOLLOW),
            let status = file.status
        else { throw GrantedFolder.failed("read", subject, errno) }
        return GrantedReading(file, GrantedFile(name, status), subject)
    }

    /// Gives the file its name, in place of the expected one, which becomes the backup. Returns what the file is then.
    ///
    /// - Throws: `changed` if another file has the name, or none; then nothing has changed.
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
        guard let file = GrantedFolder.look(name, folder) else { throw GrantedFolder.changed(subject) }
        return file
    }

    /// The file that is to be replaced; nil if there must be none.
    private func formerFile() throws(HostError) -> GrantedFile? {
        let former = GrantedFolder.look(name, folder)
        guard former?.stamp == expected, (former == nil) == (expected == nil) else {
            throw GrantedFolder.changed(subject)
        }
        return former
    }

    /// Puts the content on the disk, with the permissions of the file it replaces.
    private func settle(mode: mode_t?) throws(HostError) {
        guard let file = FileDescriptor(opening: staged, in: folder.number, O_RDONLY | O_NOFOLLOW) else {
            throw GrantedFolder.failed("write", subject, errno)
        }
        if let mode, fchmod(file.number, mode) != 0 { throw GrantedFolder.failed("write", subject, errno) }
        guard fsync(file.number) == 0 else { throw GrantedFolder.failed("write", subject, errno) }
    }

    /// Puts the file in place of the former one.
    private func exchange(_ former: GrantedFile) throws(HostError) {
        // This name tells a later run that the file may be another program's, after an exchange that was cut off.
        let replaced = GrantedPath.replaced(of: name)
        // An earlier run left another program's file there. It and the backup stay until the file is in the trash.
        guard GrantedFolder.look(replaced, folder) == nil else {
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
        // What came out can no longer be replaced by another program, so that only now it is certain what it is.
        if GrantedFolder.look(staged, folder)?.hasContent(of: former) == true {
            unlinkat(folder.number, staged, 0)
            return
        }
        code = exchangeNames(staged, name, in: folder.number)
        if code == 0 { throw GrantedFolder.changed(subject) }
        // The file of the other program cannot go back. It keeps the hidden name.
        isPlaced = true
        throw HostError(
            .hostIO, "The file was changed by another program and then replaced.", subject: subject,
            hint: "The other program's version is now '\(replaced)' in the same folder.",
            native: .posix(code))
    }

    /// The same on a file system on which names cannot change places.
    private func replace(_ former: GrantedFile) throws(HostError) {
        guard GrantedFolder.look(name, folder)?.hasContent(of: former) == true else {
            throw GrantedFolder.changed(subject)
        }
        guard renameat(folder.number, staged, folder.number, name) == 0 else {
            throw GrantedFolder.failed("write", subject, errno)
        }
    }

    /// Makes the former file the backup, before anything happens to it.
    private func keep(_ former: GrantedFile) throws(HostError) {
        let backup = GrantedPath.backup(of: name)
        unlinkat(folder.number, backup, 0)
        // Without links on the file system, the former version is copied.
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
    /// Begins to replace a file, or to make one; the folders above it are made.
    ///
    /// - Parameter expected: the stamp of the file that is replaced; nil if nothing may be there.
    /// - Throws: `changed` at once if another file is there.
    func replacement(_ path: GrantedPath, expected: String?) throws(HostError) -> GrantedReplacement {
        guard let name = path.names.last else {
            throw HostError(.invalidArgument, "The folder itself cannot be written.", subject: path.text)
        }
        let folder = try open(path.names.dropLast(), of: path, making: expected == nil)
        let former = Self.look(name, folder)
        guard former?.stamp == expected, (former == nil) == (expected == nil) else {
            throw Self.changed(path.text)
        }
        sweep(folder, path.names.dropLast())
        return GrantedReplacement(folder, name, path.text, expected: expected)
    }
}
