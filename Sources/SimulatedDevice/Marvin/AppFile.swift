import Foundation
import Platform

/// Files as the app writes them.
enum AppFile {
    /// Writes a file anew. The disk is not waited for, unlike with `Data`: nothing of a simulated app must survive the computer.
    static func write(_ bytes: some ContiguousBytes, to url: URL) throws {
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(url) }
        defer { close(descriptor) }
        try bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = Glibc.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw failure(url) }
                rest = rest.dropFirst(count)
            }
        }
    }

    private static func failure(_ url: URL) -> MarvinError {
        let code = errno
        return MarvinError(
            .system, systemText(code), subject: url.lastPathComponent, nativeCode: code)
    }
}
