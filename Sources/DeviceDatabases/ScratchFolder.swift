import Glibc
import OverlayKit
import Platform

/// A folder on the host that only this process can look into, gone with its content when the last reference to it is.
public final class ScratchFolder {
    /// Where the folder is.
    public let path: String
    /// The folder it was made in.
    public let parent: String

    /// Makes the folder in `$TMPDIR`, or in `/tmp` where that is not set.
    public init() throws(OverlayError) {
        var parent = "/tmp"
        if let variable = getenv("TMPDIR"), variable.pointee != 0 { parent = String(cString: variable) }
        // mkdtemp makes it with mode 0700 under a name that cannot be guessed.
        var template = Array("\(parent)/overlayhost-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw .host("Cannot create a temporary folder.", parent, errno)
        }
        path = String(cString: made)
        self.parent = parent
    }

    /// Bytes that this user may still write where the folder is.
    public func freeSpace() throws(OverlayError) -> UInt64 {
        var system = statvfs()
        guard statvfs(path, &system) == 0 else {
            throw .host("Cannot read the free space of the temporary folder.", parent, errno)
        }
        let (bytes, overflow) = UInt64(system.f_bavail).multipliedReportingOverflow(
            by: UInt64(system.f_frsize))
        return overflow ? .max : bytes
    }

    /// The path of a file in it.
    public func file(_ name: String) -> String { path + "/" + name }

    /// Removes a file if it is there.
    public func remove(_ name: String) throws(OverlayError) {
        guard unlink(file(name)) == 0 || errno == ENOENT else {
            throw .host("Cannot remove a temporary file.", file(name), errno)
        }
    }

    /// Makes a file of what `fill` hands to the closure it gets, and returns the number of its bytes.
    public func write(
        _ name: String,
        _ fill: ((UnsafeRawBufferPointer) throws(OverlayError) -> Void) throws(OverlayError) -> Void
    ) throws(OverlayError) -> UInt64 {
        let path = file(name)
        guard let new = FileDescriptor(opening: path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW) else {
            throw .host("Cannot create a temporary file.", path, errno)
        }
        let descriptor = new.number
        var count: UInt64 = 0
        try fill { bytes throws(OverlayError) in
            let problem = writeAll(bytes, to: descriptor)
            guard problem == 0 else { throw .host("Cannot write a temporary file.", path, problem) }
            count += UInt64(bytes.count)
        }
        return count
    }

    // SQLite leaves files of its own beside the copy, so everything inside is removed.
    deinit {
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                    tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { unlink(file(name)) }
            }
            closedir(folder)
        }
        rmdir(path)
    }
}

extension OverlayError {
    /// The host could not do something with its own file.
    static func host(_ message: String, _ subject: String, _ code: Int32) -> OverlayError {
        OverlayError(
            code == ENOSPC ? .noSpace : .hostIO, message + " " + systemText(code) + ".",
            subject: subject, hint: code == ENOSPC ? "Free some space on this computer." : nil,
            domain: .posix,
            nativeCode: Int64(code))
    }
}
