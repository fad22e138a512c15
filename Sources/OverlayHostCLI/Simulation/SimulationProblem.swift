import Foundation
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
                .configuration, "The device file has an error at \(error)", subject: subject,
                underlying: error)
        case let error as SimulationError:
            return HostError(error.code == .invalidBook ? .inputUnreadable : .outputNotCreated, error)
                .about(subject)
        default:
            // What Foundation says names the errno only at the bottom.
            let code = posixCode(error as NSError)
            let reason = code.map { systemMessage($0) + "." } ?? error.localizedDescription
            return HostError(
                .outputNotCreated, "Cannot start the simulated device: \(reason)", subject: subject,
                native: code.map { .posix($0) }, underlying: error)
        }
    }

    private static func posixCode(_ error: NSError) -> Int32? {
        if error.domain == NSPOSIXErrorDomain { return Int32(clamping: error.code) }
        return (error.userInfo[NSUnderlyingErrorKey] as? NSError).flatMap(posixCode)
    }
}
