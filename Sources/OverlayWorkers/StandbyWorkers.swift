import CSystemShims
import Glibc
import Platform
import Synchronization

/// Copies of this process that were made when it began, and become workers when they are needed. Any thread.
///
/// A worker is the program of its host, and starting a program takes most of the time of starting a worker: the loader
/// reads dozens of libraries. A copy by `fork` has them already (docs/decisions/0051).
///
/// ```swift
/// // At the start of the program, while it has one thread and has read nothing:
/// WorkerProgram.runIfAsked()
/// let standby = StandbyWorkers(2)
/// var options = WorkerOptions(program: WorkerOptions.runningProgram)
/// options.standby = standby
/// print(OverlayDiscovery(paths: .current(), isolation: .worker(options)).discover().overlays.count)
/// standby.dismiss()
/// ```
public final class StandbyWorkers: Sendable {
    private struct Copy {
        var pid: Int32
        var socket: Int32
    }

    private let copies: Mutex<[Copy]>

    /// The largest size of a message to a copy, in bytes.
    private static let maximumMessage = 60 << 10

    /// Copies the process. Does not return in the copies.
    ///
    /// Call this at the beginning of `main`, on the main thread, while the process has one thread, and before it has
    /// read its arguments, its environment or a file: the copies contain the memory of this process, and end with
    /// the thread.
    ///
    /// - Parameter count: the number of copies. If the system refuses one, there are fewer.
    public init(_ count: Int) {
        var copies: [Copy] = []
        for _ in 0..<count {
            var socket: Int32 = -1
            let pid = shim_fork_standby(CommandLine.unsafeArgv, &socket)
            if pid == 0 { Self.becomeWorker(socket) }
            guard pid > 0 else { break }
            copies.append(Copy(pid: pid, socket: socket))
        }
        self.copies = Mutex(copies)
    }

    /// Turns a copy into a worker.
    ///
    /// - Parameters:
    ///   - words: the arguments of the worker.
    ///   - variables: its environment, as `NAME=value`.
    ///   - descriptors: become its descriptors 0, 1, 2 and so on; -1 is `/dev/null`.
    /// - Returns: the process id, which the caller must reap; nil if there is no copy.
    func start(_ words: [String], _ variables: [String], _ descriptors: [Int32]) -> Int32? {
        let bytes = Message(words: words, variables: variables, isOpen: descriptors.map { $0 >= 0 }).bytes
        // The program is started instead.
        guard bytes.count <= Self.maximumMessage else { return nil }
        while let copy = copies.withLock({ $0.popLast() }) {
            defer { close(copy.socket) }
            let open = descriptors.filter { $0 >= 0 }
            if shim_send(copy.socket, bytes, bytes.count, nil, 0, open, Int32(open.count)) == bytes.count {
                return copy.pid
            }
            Self.end(copy)
        }
        return nil
    }

    /// Ends the copies that were not used. Waits until they have ended.
    public func dismiss() {
        let unused = copies.withLock { copies in
            defer { copies = [] }
            return copies
        }
        for copy in unused {
            close(copy.socket)
            Self.end(copy)
        }
    }

    deinit { dismiss() }

    private static func end(_ copy: Copy) {
        kill(copy.pid, SIGKILL)
        reap(child: copy.pid)
    }

    // MARK: - in a copy

    /// Waits until the host needs a worker, and runs as that worker. Ends with the host.
    private static func becomeWorker(_ socket: Int32) -> Never {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var descriptors = [Int32](repeating: -1, count: Int(SHIM_MOST_DESCRIPTORS))
        var count = Int32(descriptors.count)
        let size = shim_receive(socket, &bytes, bytes.count, &descriptors, &count)
        // The host has ended, or does not need the copy.
        if size == 0 { _exit(0) }
        guard size > 0, let message = Message(bytes[..<Int(size)]),
            message.isOpen.count(where: { $0 }) == Int(count)
        else { _exit(71) }
        var received = descriptors.prefix(Int(count)).makeIterator()
        let wanted = message.isOpen.map { $0 ? received.next() ?? -1 : -1 }
        clearenv()
        for variable in message.variables { putenv(strdup(variable)) }
        guard shim_place_descriptors(wanted, Int32(wanted.count)) == 0 else { _exit(71) }
        WorkerProgram.run(message.words)
    }
}

extension StandbyWorkers {
    /// Makes a copy a worker.
    struct Message {
        var words: [String]
        var variables: [String]
        /// For each descriptor of the worker, whether it comes with the message.
        var isOpen: [Bool]

        init(words: [String], variables: [String], isOpen: [Bool]) {
            (self.words, self.variables, self.isOpen) = (words, variables, isOpen)
        }

        /// Parses a message; nil if it is not complete.
        init?(_ bytes: some Collection<UInt8>) {
            let texts = bytes.split(separator: 0, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            guard texts.count >= 3, let count = Int(texts[0]), count >= 0, texts.count >= 2 + count + 1 else {
                return nil
            }
            isOpen = texts[1].map { $0 == "1" }
            words = Array(texts[2..<2 + count])
            variables = Array(texts[(2 + count)...].dropLast())
        }

        /// The texts, each of which ends with a zero byte. Neither arguments nor variables can contain one.
        var bytes: [UInt8] {
            let open = isOpen.map { $0 ? "1" : "0" }.joined()
            return (["\(words.count)", open] + words + variables).flatMap { Array($0.utf8) + [0] }
        }
    }
}
