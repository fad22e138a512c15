import FoundationEssentials
import Glibc
import JSON
import OverlayHost
import Platform
import SimulatedDevice

/// Why a simulated device cannot be started, as one sentence.
enum SimulationProblem {
    /// The host's form of any error; `subject` is what it happened to, if the error itself does not say.
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

/// What went wrong with a file, in the words of the system: what Foundation says names the errno only at the bottom.
enum FileProblem {
    /// One sentence.
    static func sentence(_ error: any Error) -> String {
        (number(error).map(systemText) ?? "\(error)") + "."
    }

    /// The errno; nil for an error that has none.
    static func number(_ error: any Error) -> Int32? {
        switch error {
        case let error as POSIXError: error.code.rawValue
        case let error as CocoaError: error.underlying.flatMap(number)
        default: nil
        }
    }
}
