import Diagnostics
import Glibc
import Platform

/// Why a simulated device, its daemon or one of its apps could not do what its owner asked for.
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
    /// Lower case words joined by `_`; never renamed.
    public let rawValue: String

    /// A code by its text; any text is a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The socket path is too long for a Unix socket.
    public static let socketPathTooLong = Self(rawValue: "socket_path_too_long")
    /// Another program answers at the socket path.
    public static let socketInUse = Self(rawValue: "socket_in_use")
    /// Another device runs in the folder.
    public static let folderInUse = Self(rawValue: "folder_in_use")
    /// The operating system refused something; `native` is its error number.
    public static let system = Self(rawValue: "system")
    /// A key or certificate could not be made or read.
    public static let cryptography = Self(rawValue: "cryptography")
    /// The other side ended the connection.
    public static let disconnected = Self(rawValue: "disconnected")
    /// The file is not an EPUB, or is damaged.
    public static let invalidBook = Self(rawValue: "invalid_book")
    /// SQLite refused something; `native` is its result code.
    public static let database = Self(rawValue: "database")
}

extension Failure where Code == SimulationErrorCode {
    /// The error of the system call that has just failed on this thread.
    static func system(_ call: String, subject: String? = nil) -> SimulationError {
        system(errno, "The system call \(call) failed", subject: subject)
    }

    /// An error of the operating system: `clause`, the beginning of a sentence, and the system's own text.
    static func system(_ number: Int32, _ clause: String, subject: String?) -> SimulationError {
        SimulationError(
            .system, "\(clause): \(systemText(number)).", subject: subject, native: .posix(number))
    }

    /// A file that is not an EPUB: `reason` completes the sentence.
    static func invalidBook(_ reason: String, subject: String) -> SimulationError {
        SimulationError(.invalidBook, "The file is not a valid EPUB: \(reason).", subject: subject)
    }
}
