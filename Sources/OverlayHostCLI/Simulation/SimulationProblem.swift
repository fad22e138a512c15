import FoundationEssentials
import Glibc
import JSON
import OverlayHost
import Platform
import SimulatedDevice

/// Explains in one sentence why a simulated device cannot be started.
enum SimulationProblem {
    /// Converts any error to the host's form; `subject` is used if the error does not name what it concerns.
    static func error(_ error: any Error, subject: String?) -> HostError {
        switch error {
        case let error as HostError: return error
        case let error as SimulatedDeviceFileError:
            return HostError(.configuration, error.description, subject: subject, underlying: error)
        case let error as JSONSyntaxError:
            return HostError(
                .configuration,
                "The device file is not valid JSON, see \(error.subject ?? "its text"). \(error.message)",
                subject: subject, underlying: error)
        case let error as SimulationError:
            return HostError(error.code == .invalidBook ? .inputUnreadable : .outputNotCreated, error)
                .about(subject)
        default:
            return HostError(
                .outputNotCreated, "Cannot start the simulated device: \(FileProblem.sentence(error))",
                subject: subject, native: FileProblem.number(error).map { .posix($0) }, underlying: error)
        }
    }
}

/// Describes a failed file operation with the system's message for its errno. Foundation's errors contain the errno
/// only in nested errors.
enum FileProblem {
    /// One sentence.
    static func sentence(_ error: any Error) -> String {
        (number(error).map(systemText) ?? "\(error)") + "."
    }

    /// The errno; nil if the error has none.
    static func number(_ error: any Error) -> Int32? {
        switch error {
        case let error as POSIXError: error.code.rawValue
        case let error as CocoaError: error.underlying.flatMap(number)
        default: nil
        }
    }
}
