import CSystemShims
import Glibc

/// Moves a regular file to another file system: copy, write out, rename, remove.
enum CrossDeviceMove {
    /// Whether the file was moved; if not, it is where it was and nothing is left at the destination.
    static func move(_ path: String, _ destination: String) -> Bool {
        let source = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard source >= 0 else { return false }
        defer { close(source) }
        var status = stat()
        guard fstat(source, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        guard let (temporary, target) = makeTemporary(beside: destination, mode: status.st_mode & 0o777)
        else {
            return false
        }
        let isCopied = copy(from: source, to: target, status)
        guard close(target) == 0, isCopied, place(temporary, at: destination) else {
            unlink(temporary)
            return false
        }
        if unlink(path) == 0 { return true }
        // The original cannot be removed: rather one file at the old place than two.
        unlink(destination)
        return false
    }

    private static func makeTemporary(beside destination: String, mode: mode_t) -> (
        path: String, file: Int32
    )? {
        for _ in 0..<16 {
            let folder = destination.utf8.lastIndex(of: UInt8(ascii: "/")).map { destination[...$0] } ?? ""
            let path = "\(folder).moving-\(UInt64.random(in: .min ... .max))"
            let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
            if file >= 0 { return (path, file) }
            guard errno == EEXIST else { return nil }
        }
        return nil
    }

    private static func copy(from source: Int32, to target: Int32, _ status: stat) -> Bool {
        guard shim_copy_file(source, target, UInt64(max(0, status.st_size))) == 0 else { return false }
        var times = [status.st_atim, status.st_mtim]
        // A rename keeps the time of the last change, and so should this; where it cannot, the content matters more.
        _ = futimens(target, &times)
        return fsync(target) == 0
    }

    /// Gives the copy its name unless something has it.
    private static func place(_ temporary: String, at destination: String) -> Bool {
        if shim_rename_noreplace(temporary, destination) == 0 {
            return true
        }
        guard errno == EINVAL || errno == ENOSYS, link(temporary, destination) == 0 else { return false }
        unlink(temporary)
        return true
    }
}
