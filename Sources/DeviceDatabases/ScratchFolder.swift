import Glibc
import OverlayKit
import Platform

/// A folder on the host that only this user can read, removed with its content when the last reference is released.
public final class ScratchFolder {
    /// Where the folder is.
    public var path: String { folder.path }
    /// The folder that contains it.
    public let parent: String
    private let folder: PrivateFolder

    /// Makes the folder in `$TMPDIR`, or in `/tmp` if that is not set.
    public init() throws(OverlayError) {
        var parent = "/tmp"
        if let variable = getenv("TMPDIR"), variable.pointee != 0 { parent = String(cString: variable) }
        guard let folder = PrivateFolder(beginning: parent + "/overlayhost-") else {
            throw .host("Cannot create a temporary folder.", parent, errno)
        }
        self.folder = folder
        self.parent = parent
    }

    /// The bytes that this user may still write on the folder's file system.
    public func freeSpace() throws(OverlayError) -> UInt64 {
        var system = statvfs()
        guard statvfs(path, &system) == 0 else {
            throw .host("Cannot read the free space of the temporary folder.", parent, errno)
        }
        let (bytes, overflow) = UInt64(system.f_bavail).multipliedReportingOverflow(
            by: UInt64(system.f_frsize))
        return overflow ? .max : bytes
    }

    /// The path of a file in the folder.
    public func file(_ name: String) -> String { path + "/" + name }

    /// Removes a file if it exists.
    public func remove(_ name: String) throws(OverlayError) {
        guard unlink(file(name)) == 0 || errno == ENOENT else {
            throw .host("Cannot remove a temporary file.", file(name), errno)
        }
    }

    /// Writes a file from the pieces that `fill` passes to its closure, and returns the file's size in bytes.
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
}

extension OverlayError {
    /// The error for an operation on the host's own files that failed.
    static func host(_ message: String, _ subject: String, _ code: Int32) -> OverlayError {
        OverlayError(
            code == ENOSPC ? .noSpace : .hostIO, message + " " + systemText(code) + ".",
            subject: subject, hint: code == ENOSPC ? "Free some space on this computer." : nil,
            domain: .posix,
            nativeCode: Int64(code))
    }
}
