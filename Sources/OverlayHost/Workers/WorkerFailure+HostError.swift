import WorkerRPC

extension WorkerFailure {
    /// The error for the caller of the method.
    func error(overlay: String) -> HostError {
        if isCancelled { return HostError(.cancelled, message(overlay: overlay), underlying: self) }
        var hint = "The next command restarts it. Please report this to the overlay's author."
        if let known = Confinement.hint(for: words ?? "") { hint.append(" " + known) }
        return HostError(
            .overlayBroke, message(overlay: overlay), subject: overlay, hint: hint, underlying: self)
    }
}

extension OverlayRefusal.Code {
    /// The overlay broke down while it was loaded.
    public static let crashed = Self(rawValue: "crashed")
    /// The overlay did not return while it was loaded.
    public static let hung = Self(rawValue: "hung")
    /// Its worker cannot be confined as far as the running kernel offers.
    public static let notConfined = Self(rawValue: "not_confined")
    /// The command was cancelled while the overlay was loaded, which says nothing of the overlay.
    public static let cancelled = Self(rawValue: "cancelled")
}
