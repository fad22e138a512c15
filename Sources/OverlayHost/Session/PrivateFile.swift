import Glibc
import Platform

/// A file that is being written in a private folder. The folder is removed with the object.
final class PrivateFile {
    /// What the file is for.
    enum Purpose {
        /// A book that will be moved to the user's folder, where it is not private.
        case result
        /// A book that will be uploaded.
        case upload
    }

    /// The path of the file.
    let path: String
    private let purpose: Purpose
    private let folder: PullFolder
    private var descriptor: Int32

    /// Creates an empty file in a private folder in `parent`.
    ///
    /// - Parameter name: the name of the file; nil for any.
    init(in parent: String, for purpose: Purpose, named name: String? = nil) throws(HostError) {
        self.purpose = purpose
        folder = PullFolder(parent: parent)
        path = if let name { try folder.path(of: name) } else { try folder.newPath() }
        let mode: mode_t = purpose == .result ? 0o666 : 0o600
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw failed(errno) }
    }

    deinit { discard() }

    /// Appends bytes.
    func append(_ bytes: some Sequence<UInt8>) throws(HostError) {
        try check(writeAll(Array(bytes), to: descriptor))
    }

    /// Appends bytes without a copy of them.
    func append(_ bytes: UnsafeRawBufferPointer) throws(HostError) {
        try check(writeAll(bytes, to: descriptor))
    }

    private func check(_ problem: Int32) throws(HostError) {
        guard problem == 0 else { throw failed(problem) }
    }

    /// Closes the file. Some file systems report write errors only at this point.
    func finish() throws(HostError) {
        guard descriptor >= 0 else { return }
        defer { descriptor = -1 }
        guard close(descriptor) == 0 else { throw failed(errno) }
    }

    /// Removes the file, unless it was moved away, and its folder.
    func discard() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        folder.remove()
    }

    private func failed(_ code: Int32) -> HostError {
        let (other, what): (HostError.Code, String) =
            switch purpose {
            case .result: (.outputNotCreated, "the book")
            case .upload: (.hostIO, "a temporary file")
            }
        return HostError(
            code == ENOSPC ? .noSpace : other, "Cannot write \(what): \(systemText(code)).",
            subject: path, native: .posix(code))
    }
}
