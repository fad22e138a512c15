import Glibc
import Platform
import Synchronization

/// The name of a running method, which overlays write to places that other programs can read (`ovl_calls_service`).
///
/// Names are read from devices, so their length is limited, and a false name can do little harm: at worst, another
/// program waits.
struct CallName: Equatable, Sendable {
    /// The largest size of the text in bytes.
    static let longest = 96
    /// The tokens of this program's running methods.
    private static let running = Mutex<Set<UInt64>>([])

    /// A number that is unique for each name.
    let token: UInt64
    /// A hash of the host's boot id and its process namespace; 0 if unknown.
    let host: UInt64
    /// The process id of the host.
    let process: Int32
    /// The start time of the process in the kernel's units, which distinguishes the process from a later one with the
    /// same id.
    let began: UInt64

    /// Creates a name of this process. It counts as running until `end` is called.
    static func make() -> CallName {
        let name = CallName(
            token: UInt64.random(in: 1...UInt64.max), host: thisHost, process: getpid(), began: thisBeginning)
        running.withLock { _ = $0.insert(name.token) }
        return name
    }

    /// Creates a name from its parts.
    init(token: UInt64, host: UInt64, process: Int32, began: UInt64) {
        (self.token, self.host, self.process, self.began) = (token, host, process, began)
    }

    /// Parses a name; nil if the text is not a name.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.longest else { return nil }
        let words = text.split(separator: "-", omittingEmptySubsequences: false)
        guard words.count == 4, let token = UInt64(words[0], radix: 16),
            let host = UInt64(words[1], radix: 16), let process = Int32(words[2]), process > 0,
            let began = UInt64(words[3])
        else { return nil }
        self.init(token: token, host: host, process: process, began: began)
    }

    /// The name as text, with two hexadecimal and two decimal numbers.
    var text: String { "\(String(token, radix: 16))-\(String(host, radix: 16))-\(process)-\(began)" }

    /// Records that the method has returned.
    func end() { Self.running.withLock { _ = $0.remove(token) } }

    /// Whether it is certain that the method has returned.
    var hasEnded: Bool {
        guard host != 0, host == Self.thisHost else { return false }
        if process == getpid(), began == Self.thisBeginning {
            return Self.running.withLock { !$0.contains(token) }
        }
        if isGone(process: process) { return true }
        return Self.beginning(of: process).map { $0 != began } ?? false
    }

    private static let thisBeginning: UInt64 = beginning(of: getpid()) ?? 0

    private static let thisHost: UInt64 = {
        guard let boot = text(of: "/proc/sys/kernel/random/boot_id") else { return 0 }
        var buffer = [CChar](repeating: 0, count: 64)
        let count = readlink("/proc/self/ns/pid", &buffer, buffer.count)
        guard count > 0 else { return 0 }
        // A fast hash is sufficient, because it only keeps these values from being written to the device.
        return max(FNV1a.of(Array(boot.utf8) + buffer[..<count].map { UInt8(bitPattern: $0) }), 1)
    }()

    /// The 22nd field of /proc/PID/stat. The second field may contain any text, and ends with the last parenthesis.
    private static func beginning(of process: Int32) -> UInt64? {
        guard let text = text(of: "/proc/\(process)/stat"), let end = text.lastIndex(of: ")") else {
            return nil
        }
        let words = text[end...].split(separator: " ")
        return words.count > 20 ? UInt64(words[20]) : nil
    }

    private static func text(of path: String) -> String? {
        guard let descriptor = FileDescriptor(opening: path) else { return nil }
        let number = descriptor.number
        var buffer = [UInt8](repeating: 0, count: 2048)
        let count = buffer.withUnsafeMutableBytes { readFully(number, into: $0) } ?? 0
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
