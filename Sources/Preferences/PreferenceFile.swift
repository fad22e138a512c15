import Glibc
import HostErrors
import JSON
import Platform

/// Reads the preferences file up to a limit, and replaces it under a lock.
struct PreferenceFile {
    /// The largest file that is read, in bytes.
    static let largest = 1 << 20

    private let path: String

    init(_ path: String) { self.path = path }

    /// The object in the file; empty if the file does not exist.
    func read() throws(HostError) -> JSONObject { try content(of: path)?.object ?? JSONObject() }

    /// Changes the object and replaces the file. Returns the previous object. Does not write an unchanged object.
    @discardableResult
    func update(_ change: (inout JSONObject) -> Void) throws(HostError) -> JSONObject {
        let target = try resolved()
        try makeFolder(target.folder)
        let lock = try lock(target)
        defer { withExtendedLifetime(lock) {} }
        let current = try content(of: target.path)
        let before = current?.object ?? JSONObject()
        var after = before
        change(&after)
        if after != before { try replace(target, with: after, like: current?.status) }
        return before
    }

    // MARK: reading

    private func content(of path: String) throws(HostError) -> (object: JSONObject, status: stat)? {
        // Without O_NONBLOCK, opening a named pipe would wait for its writer.
        guard let descriptor = FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK) else {
            if errno == ENOENT { return nil }
            throw unreadable("The preferences file cannot be opened: \(systemText(errno)).", errno)
        }
        guard let status = descriptor.status else {
            throw unreadable("The preferences file cannot be read: \(systemText(errno)).", errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw unreadable("The preferences file is not a file.")
        }
        let bytes = try readAll(descriptor.number)
        do {
            let value = try JSONValue(parsing: bytes)
            guard let object = value.object else {
                throw damaged(
                    JSONSyntaxError("The file must contain a JSON object in braces.", at: 0, in: bytes))
            }
            return (object, status)
        } catch let error as JSONSyntaxError {
            throw damaged(error)
        } catch let error as HostError {
            throw error
        } catch {
            throw unreadable("The preferences file cannot be read: \(error).")
        }
    }

    private func readAll(_ descriptor: Int32) throws(HostError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            guard let count = buffer.withUnsafeMutableBytes({ readFully(descriptor, into: $0) }) else {
                throw unreadable("The preferences file cannot be read: \(systemText(errno)).", errno)
            }
            bytes.append(contentsOf: buffer[..<count])
            guard bytes.count <= Self.largest else {
                throw unreadable("The preferences file is larger than \(Self.largest) bytes.")
            }
            if count < buffer.count { return bytes }
        }
    }

    private func unreadable(_ message: String, _ code: Int32? = nil) -> HostError {
        HostError(.prefsUnreadable, message, subject: path, native: code.map { .posix($0) })
    }

    private func damaged(_ error: JSONSyntaxError) -> HostError {
        HostError(
            .prefsDamaged, "The preferences file has a syntax error at \(error)", subject: path,
            hint: "Correct it in a text editor, or move it away to start with the defaults. The file was "
                + "not changed.",
            underlying: error)
    }

    // MARK: writing

    private struct Target {
        let path: String
        let folder: String
        let name: String
    }

    /// The target of `path` if it is a symbolic link, so that the link is kept.
    private func resolved() throws(HostError) -> Target {
        var current = path
        for _ in 0..<40 {
            let (folder, name) = Self.split(current)
            guard !name.isEmpty else { throw unwritable("The preferences file has no name.") }
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(current, &buffer, buffer.count)
            guard count >= 0 else { return Target(path: current, folder: folder, name: name) }
            let link = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            current = link.isAbsolutePath ? link : folder + "/" + link
        }
        throw unwritable("The preferences file is a broken symbolic link.", ELOOP)
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let folder = path.pathFolder else { return (".", path) }
        return (folder.isEmpty ? "/" : String(folder), String(path.pathName))
    }

    private func makeFolder(_ folder: String) throws(HostError) {
        // The XDG base directory specification requires 0700.
        let code = makeFolders(folder, mode: 0o700)
        guard code == 0 else {
            throw unwritable(
                "The preferences file cannot be created in \(folder): \(systemText(code)).", code)
        }
    }

    /// Takes the lock and returns its descriptor. Closing the descriptor releases the lock. Waits for other writers,
    /// which hold the lock for one read and one write. The lock file is kept, because after its removal two writers
    /// could lock two different files.
    private func lock(_ target: Target) throws(HostError) -> FileDescriptor {
        let path = target.folder + "/." + target.name + ".lock"
        guard let descriptor = FileDescriptor(opening: path, O_RDWR | O_CREAT) else {
            throw unwritable("The preferences file cannot be locked: \(systemText(errno)).", errno)
        }
        let code = waitForLock(of: descriptor.number)
        guard code == 0 else {
            throw unwritable("The preferences file cannot be locked: \(systemText(code)).", code)
        }
        return descriptor
    }

    private func replace(_ target: Target, with object: JSONObject, like old: stat?) throws(HostError) {
        let text = JSONValue.object(object).text(.indented) + "\n"
        guard text.utf8.count <= Self.largest else {
            throw unwritable("The preferences file would be larger than \(Self.largest) bytes.")
        }
        guard let file = TemporaryFile(beginning: "\(target.folder)/.\(target.name)") else {
            throw unwritable("The preferences file cannot be written: \(systemText(errno)).", errno)
        }
        var problem = keepOwner(file.descriptor, of: old) ? 0 : errno
        if problem == 0 { problem = writeAll(Array(text.utf8), to: file.descriptor) }
        if problem == 0 { problem = file.move(to: target.path, survivesPowerCut: true) }
        guard problem == 0 else {
            throw unwritable("The preferences file cannot be written: \(systemText(problem)).", problem)
        }
        try syncFolder(target.folder)
    }

    /// Gives the new file the owner and mode of the old one.
    private func keepOwner(_ descriptor: Int32, of old: stat?) -> Bool {
        guard let old else { return true }
        var new = stat()
        guard fstat(descriptor, &new) == 0 else { return false }
        if new.st_uid != old.st_uid || new.st_gid != old.st_gid {
            guard fchown(descriptor, old.st_uid, old.st_gid) == 0 else { return false }
        }
        return fchmod(descriptor, old.st_mode & 0o777) == 0
    }

    /// Ensures that the renaming survives a power failure.
    private func syncFolder(_ folder: String) throws(HostError) {
        guard let descriptor = FileDescriptor(opening: folder, O_RDONLY | O_DIRECTORY) else {
            throw unwritable(
                "The preferences file was written, but could be lost in a power failure: \(systemText(errno)).",
                errno)
        }
        // Some file systems cannot synchronize folders and return EINVAL.
        if fsync(descriptor.number) != 0, errno != EINVAL {
            throw unwritable(
                "The preferences file was written, but could be lost in a power failure: \(systemText(errno)).",
                errno)
        }
    }

    private func unwritable(_ message: String, _ code: Int32? = nil) -> HostError {
        HostError(.prefsUnwritable, message, subject: path, native: code.map { .posix($0) })
    }
}
