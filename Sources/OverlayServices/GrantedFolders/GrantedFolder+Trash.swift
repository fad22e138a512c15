import Glibc
import HostErrors
import Platform

extension GrantedFolder {
    /// Moves a file to the user's trash, or to a trash in the folder if the user's trash is on another disk.
    ///
    /// Both follow the trash specification of freedesktop.org, so file managers can restore files from the user's
    /// trash.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - expected: the stamp of the file.
    ///   - now: the local time for the trash, such as `2026-07-18T12:00:00`.
    /// - Throws: `changed` if the file differs from the expected one; in this case, nothing was changed. `notFound`,
    ///   `hostIO`.
    func trash(_ path: GrantedPath, expected: String, now: String = GrantedFolder.localTime())
        throws(HostError)
    {
        guard let name = path.names.last else {
            throw HostError(.invalidArgument, "The folder itself cannot be removed.", subject: path.text)
        }
        let folder = try open(path.names.dropLast(), of: path)
        guard let file = Self.entry(name, folder) else { throw Self.failed("read", path.text, errno) }
        guard file.stamp == expected else { throw Self.changed(path.text) }
        try trash(file, folder, named: name, path: path.text, now: now)
    }

    /// Moves a file in an open folder to a trash.
    ///
    /// - Parameters:
    ///   - file: the entry of the file.
    ///   - name: the name of the file in the trash.
    ///   - path: the original path, relative to this folder.
    func trash(
        _ file: GrantedFile, _ folder: borrowing FileDescriptor, named name: String, path: String,
        now: String = GrantedFolder.localTime()
    ) throws(HostError) {
        let entry =
            "[Trash Info]\nPath=\(PercentCoding.encoded(self.path + "/" + path, keeping: "/"))\n"
            + "DeletionDate=\(now)\n"
        if let trash, let bins = Self.bins(trash),
            try Self.move(file, folder, to: bins, named: name, entry, path)
        {
            return
        }
        guard let bins = try bins(subject: path),
            try Self.move(file, folder, to: bins, named: name, entry, path)
        else { throw Self.failed("write", path, EXDEV) }
    }

    /// The folders of a trash for files and for information about them.
    struct Bins: ~Copyable {
        let files: FileDescriptor
        let info: FileDescriptor
    }

    /// The user's trash, created if necessary; nil if that is not possible.
    private static func bins(_ path: String) -> Bins? {
        // An error is reported when the folder is opened.
        _ = makeFolders(path, mode: 0o700)
        guard let trash = FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY) else { return nil }
        return bins(trash)
    }

    private static func bins(_ trash: borrowing FileDescriptor) -> Bins? {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
        mkdirat(trash.number, "files", 0o700)
        mkdirat(trash.number, "info", 0o700)
        guard let files = FileDescriptor(opening: "files", in: trash.number, flags),
            let info = FileDescriptor(opening: "info", in: trash.number, flags)
        else { return nil }
        return Bins(files: files, info: info)
    }

    /// The trash in the folder.
    private func bins(subject: String) throws(HostError) -> Bins? {
        let top = try open([], of: GrantedPath(""))
        mkdirat(top.number, GrantedPath.trash, 0o700)
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
        guard let trash = FileDescriptor(opening: GrantedPath.trash, in: top.number, flags) else {
            throw Self.failed("write", subject, errno)
        }
        return Self.bins(trash)
    }

    /// Moves a file into a trash. Returns false if the trash is on another file system.
    private static func move(
        _ file: GrantedFile, _ folder: borrowing FileDescriptor, to bins: borrowing Bins, named first: String,
        _ entry: String, _ subject: String
    ) throws(HostError) -> Bool {
        for number in 1...10_000 {
            let name = number == 1 ? first : numbered(first, number)
            let note = name + ".trashinfo"
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
            guard let made = FileDescriptor(opening: note, in: bins.info.number, flags) else {
                if errno == EEXIST { continue }
                throw failed("write", subject, errno)
            }
            var code = writeAll(Array(entry.utf8), to: made.number)
            if code == 0 {
                code = renameWithoutReplacing(file.name, in: folder.number, to: name, in: bins.files.number)
            }
            if code == 0, Self.entry(name, bins.files)?.hasContent(of: file) != true {
                // Another program replaced the file. Move it back.
                let back = renameWithoutReplacing(
                    name, in: bins.files.number, to: file.name, in: folder.number)
                if back == 0 { unlinkat(bins.info.number, note, 0) }
                throw changed(subject)
            }
            guard code != 0 else {
                fsync(folder.number)
                return true
            }
            unlinkat(bins.info.number, note, 0)
            if code == EEXIST { continue }
            if code == EXDEV { return false }
            if code == ENOENT { throw changed(subject) }
            throw failed("write", subject, code)
        }
        throw failed("write", subject, EEXIST)
    }

    /// A name that is unused in the trash. Long names are shortened.
    private static func numbered(_ name: String, _ number: Int) -> String {
        name.utf8.count <= 230 ? "\(name).\(number)" : "\(name.unicodeScalars.prefix(48)).\(number)"
    }

    /// The local time in the format of the trash specification.
    static func localTime() -> String {
        var (now, parts) = (time(nil), tm())
        localtime_r(&now, &parts)
        let day = [parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday].map { $0.padded(2) }
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0.padded(2) }
        return day.joined(separator: "-") + "T" + clock.joined(separator: ":")
    }
}
