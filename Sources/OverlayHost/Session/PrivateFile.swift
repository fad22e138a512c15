import Glibc
import Platform

/// A file that is being written in a private folder.
final class PrivateFile {
    /// The path of the file.
    let path: String
    private let folder: PullFolder
    private var descriptor: Int32

    /// Creates an empty file in a private folder in `parent`.
    init(in parent: String) throws(HostError) {
        folder = PullFolder(parent: parent)
        path = try folder.newPath()
        // The final file will not be private, so it gets the default mode.
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.failed(path, errno) }
    }

    deinit { discard() }

    /// Appends bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws(HostError) {
        let problem = writeAll(bytes, to: descriptor)
        guard problem == 0 else { throw Self.failed(path, problem) }
    }

    /// Closes the file. Some file systems report write errors only at this point.
    func finish() throws(HostError) {
        guard descriptor >= 0 else { return }
        defer { descriptor = -1 }
        guard close(descriptor) == 0 else { throw Self.failed(path, errno) }
    }

    /// Removes the file, unless it was moved away, and its folder.
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
