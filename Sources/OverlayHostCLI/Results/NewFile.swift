import Glibc
import OverlayHost
import Platform

/// A new file at a path that the user gave.
enum NewFile {
    /// Writes `bytes` to a new file. An existing file is never touched, and a failure leaves none behind.
    ///
    /// `what` describes the content in messages. Throws `alreadyExists`, `noSpace` or `outputNotCreated`.
    static func write(_ bytes: [UInt8], to path: String, what: String) throws(HostError) {
        guard let file = FileDescriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o666) else {
            throw failure(errno, path, what)
        }
        var code = writeAll(bytes, to: file.number)
        let lost = file.close()
        if code == 0 { code = lost }
        guard code != 0 else { return }
        unlink(path)
        throw failure(code, path, what)
    }

    /// Why a new file could not be created or written.
    static func failure(_ code: Int32, _ path: String, _ what: String) -> HostError {
        if code == EEXIST {
            return HostError(
                .alreadyExists, "Cannot save the \(what): a file or folder with this name already exists.",
                subject: path, hint: "Choose another name, or move the existing one away.")
        }
        return HostError(
            code == ENOSPC ? .noSpace : .outputNotCreated,
            "Cannot save the \(what): \(systemText(code)).", subject: path, native: .posix(code))
    }
}
