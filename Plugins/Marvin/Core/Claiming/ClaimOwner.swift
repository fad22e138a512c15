import Glibc
import OverlayKit
import Synchronization

/// Who has claimed a Marvin: one use of it by one program.
///
/// What stands in the claim is read back from the device, so it is bounded and believed only as far as it does no harm:
/// the worst a false claim can do is to make others wait until it is too old.
struct ClaimOwner: Equatable, Sendable {
    /// Longest text that is read, bytes.
    static let longest: UInt64 = 256
    /// The tokens that this image of the overlay has used, and whether each still is in use. One that no longer is may lie on
    /// the device nevertheless, when a method ended without the device. A process may hold several images, each with its own.
    private static let used = Mutex<[UInt64: Bool]>([:])

    /// Unique for each use.
    let token: UInt64
    /// A hash of what tells this computer, since it was started, and its space of process numbers from others; 0: not known.
    let host: UInt64
    /// The process.
    let process: Int32
    /// When the process began, in the kernel's count; tells it from a later one of the same number.
    let began: UInt64

    /// A new claim of this process.
    init() {
        self.init(
            token: UInt64.random(in: 1...UInt64.max), host: Self.thisHost, process: getpid(),
            began: Self.start(of: getpid()) ?? 0)
    }

    /// An owner by its parts.
    init(token: UInt64, host: UInt64, process: Int32, began: UInt64) {
        (self.token, self.host, self.process, self.began) = (token, host, process, began)
    }

    /// The owner that a text names; nil when it is none.
    init?(_ text: some StringProtocol) {
        let words = text.split(separator: "-", omittingEmptySubsequences: false)
        guard words.count == 4, let token = UInt64(words[0], radix: 16),
            let host = UInt64(words[1], radix: 16),
            let process = Int32(words[2]), let began = UInt64(words[3])
        else { return nil }
        self.init(token: token, host: host, process: process, began: began)
    }

    /// What stands in the claim, and in the name under which it is made: hexadecimal numbers and decimal ones.
    var text: String {
        "\(String(token, radix: 16))-\(String(host, radix: 16))-\(process)-\(began)"
    }

    /// Says that the claim is in use from now on, or no more.
    func setInUse(_ isUsed: Bool) {
        Self.used.withLock { $0[token] = isUsed }
    }

    /// Whether it is certain that nobody uses the claim any more: it is of this computer, and its process has ended, or this
    /// image of the overlay has made it and is done with it. Of another computer or image nothing is certain.
    var isGone: Bool {
        guard host != 0, host == Self.thisHost else { return false }
        if process == getpid(), began == Self.start(of: process) {
            return Self.used.withLock { $0[token] == false }
        }
        if kill(process, 0) != 0, errno == ESRCH { return true }
        return Self.start(of: process).map { $0 != began } ?? false
    }

    private static let thisHost: UInt64 = {
        guard let boot = text(of: "/proc/sys/kernel/random/boot_id") else { return 0 }
        var buffer = [CChar](repeating: 0, count: 64)
        let count = readlink("/proc/self/ns/pid", &buffer, buffer.count)
        guard count > 0 else { return 0 }
        // FNV-1a: it hides what it is made of from the device, and need not withstand anybody.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in Array(boot.utf8) + buffer[..<count].map({ UInt8(bitPattern: $0) }) {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return max(hash, 1)
    }()

    /// The 22nd word of /proc/PID/stat; the second, which may hold anything, ends with the last bracket.
    private static func start(of process: Int32) -> UInt64? {
        guard let text = text(of: "/proc/\(process)/stat"), let end = text.lastIndex(of: ")") else {
            return nil
        }
        let words = text[end...].split(separator: " ")
        return words.count > 20 ? UInt64(words[20]) : nil
    }

    private static func text(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 2048)
        let count = read(descriptor, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
