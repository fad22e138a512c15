import Glibc
import Platform

/// A file under construction, in a folder that only this program sees.
final class PrivateFile {
    /// Where it is.
    let path: String
    private let folder: PullFolder
    private var descriptor: Int32

    /// Makes an empty file in a private folder below `parent`.
    init(in parent: String) throws(HostError) {
        folder = PullFolder(parent: parent)
        path = try folder.newPath()
        // The folder is private, the file will not be: it gets the mode that other programs' files get.
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.failed(path, errno) }
    }

    deinit { discard() }

    /// Writes bytes at the end.
    func append(_ bytes: UnsafeRawBufferPointer) throws(HostError) {
        let problem = writeAll(bytes, to: descriptor)
        guard problem == 0 else { throw Self.failed(path, problem) }
    }

    /// Closes the file; only then does every file system say whether it was written.
    func finish() throws(HostError) {
        guard descriptor >= 0 else { return }
        defer { descriptor = -1 }
        guard close(descriptor) == 0 else { throw Self.failed(path, errno) }
    }

    /// Removes the file, if it has not been moved away, and its folder.
    func discard() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        folder.remove()
    }

    private static func failed(_ path: String, _ code: Int32) -> HostError {
        HostError(
            code == ENOSPC ? .noSpace : .outputNotCreated,
            "Cannot write the book: \(systemText(code)).",
            subject: path, native: .posix(code))
    }
}
