import Glibc
import Platform
import Synchronization

/// The name of a running method, as overlays write it where other programs see it (`ovl_calls_service`).
///
/// Names come back from devices, so they are bounded and believed only as far as it does no harm: at worst another program waits.
struct CallName: Equatable, Sendable {
    /// Longest text, bytes.
    static let longest = 96
    /// The tokens of this program's methods that have not returned yet.
    private static let running = Mutex<Set<UInt64>>([])

    /// Unique for each name.
    let token: UInt64
    /// A hash of the host's boot and its process namespace; 0: not known.
    let host: UInt64
    /// The process of the host.
    let process: Int32
    /// When the process began, in the kernel's count; tells it from a later one of the same number.
    let began: UInt64

    /// A name of this process, which counts as running until `end`.
    static func make() -> CallName {
        let name = CallName(
            token: UInt64.random(in: 1...UInt64.max), host: thisHost, process: getpid(), began: thisBeginning)
        running.withLock { _ = $0.insert(name.token) }
        return name
    }

    /// A name by its parts.
    init(token: UInt64, host: UInt64, process: Int32, began: UInt64) {
        (self.token, self.host, self.process, self.began) = (token, host, process, began)
    }

    /// The name in a text; nil when there is none.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.longest else { return nil }
        let words = text.split(separator: "-", omittingEmptySubsequences: false)
        guard words.count == 4, let token = UInt64(words[0], radix: 16),
            let host = UInt64(words[1], radix: 16), let process = Int32(words[2]), process > 0,
            let began = UInt64(words[3])
        else { return nil }
        self.init(token: token, host: host, process: process, began: began)
    }

    /// Hexadecimal numbers and decimal ones.
    var text: String { "\(String(token, radix: 16))-\(String(host, radix: 16))-\(process)-\(began)" }

    /// The method has returned.
    func end() { Self.running.withLock { _ = $0.remove(token) } }

    /// Whether it is certain that the method has returned.
    var hasEnded: Bool {
        guard host != 0, host == Self.thisHost else { return false }
        if process == getpid(), began == Self.thisBeginning {
            return Self.running.withLock { !$0.contains(token) }
        }
        if kill(process, 0) != 0, errno == ESRCH { return true }
        return Self.beginning(of: process).map { $0 != began } ?? false
    }

    private static let thisBeginning: UInt64 = beginning(of: getpid()) ?? 0

    private static let thisHost: UInt64 = {
        guard let boot = text(of: "/proc/sys/kernel/random/boot_id") else { return 0 }
        var buffer = [CChar](repeating: 0, count: 64)
        let count = readlink("/proc/self/ns/pid", &buffer, buffer.count)
        guard count > 0 else { return 0 }
        // A fast hash is enough: it only keeps these values off the device.
        return max(FNV1a.of(Array(boot.utf8) + buffer[..<count].map { UInt8(bitPattern: $0) }), 1)
    }()

    /// The 22nd word of /proc/PID/stat; the second, which may hold anything, ends with the last bracket.
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
