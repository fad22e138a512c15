import FoundationEssentials
import Glibc
import OverlayHost
import Platform

/// The destination of fetched bytes: standard output, or a new file that exists only if everything was written.
final class ByteOutput {
    private enum Place {
        case console(Console)
        case file(descriptor: Int32, path: String)
    }

    private let place: Place
    private var isOpen = true

    /// Creates the file, which must not exist; nil means standard output.
    init(_ path: String?, _ console: Console) throws(HostError) {
        guard let path else {
            place = .console(console)
            return
        }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw NewFile.failure(errno, path, "resource") }
        place = .file(descriptor: descriptor, path: path)
    }

    /// Writes all of `data`.
    ///
    /// - Throws: `stopped` if standard output accepts nothing more, which the program reports. `usage` for bytes that
    ///   would disturb the terminal.
    func write(_ data: Data) throws(HostError) {
        switch place {
        case .console(let console):
            guard !console.isTerminal || !Self.hasTerminalControls(data) else {
                throw HostError(
                    .usage, "The output is binary and could garble the terminal.",
                    hint: "Save it with -o FILE, or pipe it to another program.")
            }
            console.bytes([UInt8](data))
            if console.outputError() != nil {
                throw HostError(.stopped, "Standard output was closed.")
            }
        case .file(let descriptor, let path):
            let problem = data.withUnsafeBytes { writeAll($0, to: descriptor) }
            guard problem == 0 else { throw NewFile.failure(problem, path, "resource") }
        }
    }

    /// Some file systems report only on closing that writing failed.
    func finish() throws(HostError) {
        guard case .file(let descriptor, let path) = place, isOpen else { return }
        isOpen = false
        if close(descriptor) != 0 { throw NewFile.failure(errno, path, "resource") }
    }

    /// Removes an incomplete file.
    func abandon() {
        guard case .file(let descriptor, let path) = place else { return }
        if isOpen { close(descriptor) }
        isOpen = false
        unlink(path)
    }

    /// Whether bytes contain control characters that a terminal would interpret: all but tabs, line ends and form
    /// feeds.
    static func hasTerminalControls(_ data: Data) -> Bool {
        var last: UInt8 = 0
        for byte in data {
            switch byte {
            case 0x09, 0x0A, 0x0C, 0x0D: break
            case 0..<0x20, 0x7F: return true
            // U+0080 to U+009F in UTF-8.
            case 0x80..<0xA0 where last == 0xC2: return true
            default: break
            }
            last = byte
        }
        return false
    }
}
