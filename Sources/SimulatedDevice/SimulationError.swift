import Diagnostics
import Glibc
import Platform

/// The reason why a simulated device, its daemon or one of its apps could not do what the caller asked for.
///
/// ```swift
/// do {
///     try usbmuxd.start()
/// } catch let error as SimulationError where error.code == .socketInUse {
///     print(error.hint ?? error.message)
/// }
/// ```
public typealias SimulationError = Failure<SimulationErrorCode>

/// The kind of a `SimulationError`.
public struct SimulationErrorCode: FailureCode {
    /// The text of the code: lower case words joined by `_`. Codes are never renamed.
    public let rawValue: String

    /// Creates a code from its text; any text is valid.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The socket path is too long for a Unix socket.
    public static let socketPathTooLong = Self(rawValue: "socket_path_too_long")
    /// Another program answers at the socket path.
    public static let socketInUse = Self(rawValue: "socket_in_use")
    /// Another simulated device is running in the folder.
    public static let folderInUse = Self(rawValue: "folder_in_use")
    /// A system call failed; `native` is its error number.
    public static let system = Self(rawValue: "system")
    /// A key or certificate could not be created or read.
    public static let cryptography = Self(rawValue: "cryptography")
    /// The peer closed the connection.
    public static let disconnected = Self(rawValue: "disconnected")
    /// The file is not an EPUB, or is damaged.
    public static let invalidBook = Self(rawValue: "invalid_book")
    /// An SQLite call failed; `native` is its result code.
    public static let database = Self(rawValue: "database")
}

extension Failure where Code == SimulationErrorCode {
    /// The error of the system call that has just failed on this thread.
    static func system(_ call: String, subject: String? = nil) -> SimulationError {
        system(errno, "The system call \(call) failed", subject: subject)
    }

    /// An error of the operating system. The message is `clause`, the beginning of a sentence, followed by the
    /// system's own text.
    static func system(_ number: Int32, _ clause: String, subject: String?) -> SimulationError {
        SimulationError(
            .system, "\(clause): \(systemText(number)).", subject: subject, native: .posix(number))
    }

    /// An error for a file that is not an EPUB; `reason` completes the sentence.
    static func invalidBook(_ reason: String, subject: String) -> SimulationError {
        SimulationError(.invalidBook, "The file is not a valid EPUB: \(reason).", subject: subject)
    }
}
