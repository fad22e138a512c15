import Glibc
import Platform

extension SimulationError {
    /// The error of the system call that has just failed on this thread.
    static func system(_ call: String, subject: String? = nil) -> SimulationError {
        let number = errno
        let reason = systemText(number)
        return SimulationError(.system, "\(call) failed: \(reason)", subject: subject ?? call, native: number)
    }
}
