import HostErrors
import OverlayCalls

extension WorkerFailure {
    /// Creates the error for the caller of the method.
    package func error(overlay: String) -> HostError {
        if isCancelled { return HostError(.cancelled, message(overlay: overlay), underlying: self) }
        var hint = "The next command restarts it. Please report this to the overlay's author."
        if let known = Confinement.hint(for: words ?? "") { hint.append(" " + known) }
        return HostError(
            .overlayBroke, message(overlay: overlay), subject: overlay, hint: hint, underlying: self)
    }
}
