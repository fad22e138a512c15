import Glibc
import Platform

/// Why a simulated device or daemon could not do what its owner asked for.
public struct SimulationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the kind.
        public let rawValue: String
        /// A kind of the given name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The socket path is too long for a Unix socket.
        public static let socketPathTooLong = Code(rawValue: "socket-path-too-long")
        /// Another program answers at the socket path.
        public static let socketInUse = Code(rawValue: "socket-in-use")
        /// Another device runs in the folder.
        public static let folderInUse = Code(rawValue: "folder-in-use")
        /// The operating system refused something; `native` is its error number.
        public static let system = Code(rawValue: "system")
        /// A key or certificate could not be made or read.
        public static let cryptography = Code(rawValue: "cryptography")
        /// The other side ended the connection.
        public static let disconnected = Code(rawValue: "disconnected")
    }

    /// What kind of failure it is.
    public var code: Code
    /// One sentence for a person.
    public var message: String
    /// What it is about: a path, or the name of a system call.
    public var subject: String?
    /// What to do about it.
    public var hint: String?
    /// The error number of the operating system, or 0.
    public var native: Int32

    /// An error of the given kind.
    public init(
        _ code: Code, _ message: String, subject: String? = nil, hint: String? = nil, native: Int32 = 0
    ) {
        self.code = code
        self.message = message
        self.subject = subject
        self.hint = hint
        self.native = native
    }

    /// One line for a log.
    public var description: String { message }
}

extension SimulationError {
    /// The error of the system call that has just failed on this thread.
    static func system(_ call: String, subject: String? = nil) -> SimulationError {
        let number = errno
        let reason = systemText(number)
        return SimulationError(.system, "\(call) failed: \(reason)", subject: subject ?? call, native: number)
    }
}
