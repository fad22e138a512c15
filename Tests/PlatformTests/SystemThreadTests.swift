import Glibc
import Platform
import Synchronization
import Testing

@Suite("Threads run and are joined")
struct SystemThreadTests {
    private final class Seen: Sendable {
        let value = Mutex<SystemThread?>(nil)
    }

    @Test("Work runs on its own thread, and has ended once that is joined")
    func joined() throws {
        let seen = Seen()
        let thread = try #require(SystemThread { seen.value.withLock { $0 = .current } })
        thread.join()
        #expect(seen.value.withLock { $0 } == thread)
        #expect(thread != .current)
    }

    @Test("Objects that the work used are released before the thread can be joined")
    func released() throws {
        weak var gone: Seen?
        let thread: SystemThread
        do {
            let seen = Seen()
            gone = seen
            thread = try #require(SystemThread { seen.value.withLock { $0 = .current } })
        }
        thread.join()
        #expect(gone == nil)
    }

    @Test(
        "A detached thread runs its work, and has the stack that was asked for",
        arguments: [16 << 20, 64 << 20])
    func detached(size: Int) async throws {
        let found: Int = await withCheckedContinuation { continuation in
            let isStarted = SystemThread.detached(stackSize: size) {
                continuation.resume(returning: Self.sizeOfStack())
            }
            if !isStarted { continuation.resume(returning: 0) }
        }
        #expect(found >= size)
    }

    /// The size of the memory mapping with the calling thread's variables; 0 if it was not found.
    private static func sizeOfStack() -> Int {
        var local = 0
        let address = withUnsafePointer(to: &local) { UInt(bitPattern: $0) }
        guard let maps = fopen("/proc/self/maps", "r") else { return 0 }
        defer { fclose(maps) }
        var line = [UInt8](repeating: 0, count: 4096)
        while line.withUnsafeMutableBytes({ fgets($0.baseAddress, Int32($0.count), maps) }) != nil {
            let range = String(decoding: line.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
            let ends = range.split(separator: "-").compactMap { UInt($0, radix: 16) }
            if ends.count == 2, ends[0] <= address, address < ends[1] { return Int(ends[1] - ends[0]) }
        }
        return 0
    }

    @Test("Without a thread, the error is the errno")
    func refused() async {
        await #expect(processExitsWith: .exitCode(0)) {
            // More address space than the process may use for a stack.
            var limit = rlimit(rlim_cur: 4 << 30, rlim_max: 4 << 30)
            guard setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { exit(9) }
            let isStarted = SystemThread.detached(stackSize: 8 << 30) {}
            exit(!isStarted && errno == EAGAIN && SystemThread(stackSize: 8 << 30, {}) == nil ? 0 : 8)
        }
    }
}
