import Foundation
import Platform

/// Files as the app writes them.
enum AppFile {
    /// Writes a file anew. The disk is not waited for, unlike with `Data`: nothing of a simulated app must survive the computer.
    static func write(_ bytes: some ContiguousBytes, to url: URL) throws {
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(url, errno) }
        defer { close(descriptor) }
        let problem = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
        guard problem == 0 else { throw failure(url, problem) }
    }

    private static func failure(_ url: URL, _ code: Int32) -> MarvinError {
        MarvinError(.system, systemText(code), subject: url.lastPathComponent, nativeCode: code)
    }
}
