import Foundation
import Glibc
import OverlayHost

/// Where fetched bytes go: standard output, or a new file that exists only if everything was written.
final class ByteOutput {
    private let path: String?
    private let descriptor: Int32

    /// Makes the file, which must not exist; nil is standard output.
    init(_ path: String?) throws(HostError) {
        self.path = path
        guard let path else {
            descriptor = STDOUT_FILENO
            return
        }
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw NewFile.failure(errno, path, "resource") }
    }

    func write(_ data: Data) throws(HostError) {
        var rest = [UInt8](data)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw NewFile.failure(errno, path ?? "standard output", "resource")
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Only closing tells on every file system whether a file was written.
    func finish() throws(HostError) {
        guard let path else { return }
        if close(descriptor) != 0 { throw NewFile.failure(errno, path, "resource") }
    }

    /// Removes a file that is not whole.
    func abandon() {
        if let path { unlink(path) }
    }
}
