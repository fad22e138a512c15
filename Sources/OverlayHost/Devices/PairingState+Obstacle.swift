import DeviceTransport

extension PairingState {
    /// The error that prevents use of a device in this state, with a hint; nil if the device trusts this computer.
    ///
    /// - Parameter wasAsked: whether the device was just asked to trust this computer, so that it may display the
    ///   question.
    func obstacle(wasAsked: Bool) -> HostError? {
        let again = "Run 'overlayhost doctor' with the device unlocked, and tap Trust when it asks."
        switch self {
        case .paired: return nil
        case .notPaired:
            return HostError(.notPaired, "The device does not trust this computer.", hint: again)
        case .stale:
            return HostError(
                .notPaired, "The device no longer trusts this computer.", hint: again)
        case .pending:
            return HostError(
                .pairingPending, "The device is asking whether to trust this computer.",
                hint: "Unlock it, tap Trust, and run the command again.")
        case .denied:
            return HostError(
                .pairingDenied,
                "The device does not trust this computer because someone tapped Don't "
                    + "Trust.",
                hint: "Disconnect and reconnect it, run 'overlayhost doctor', and tap Trust when it asks.")
        case .locked:
            return wasAsked
                ? HostError(
                    .deviceLocked, "The device is locked and does not trust this computer yet.",
                    hint: "Unlock it, run the command again, and tap Trust when it asks.")
                : HostError(
                    .deviceLocked, "The device is locked.", hint: "Unlock the device and keep it unlocked.")
        }
    }
}
