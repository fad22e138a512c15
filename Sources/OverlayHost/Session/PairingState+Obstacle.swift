import DeviceTransport

extension PairingState {
    /// What stands in the way of using a device in this state, with what to do; nil when it trusts this computer.
    ///
    /// - Parameter wasAsked: whether the device was asked to trust this computer just now, so that its question is on its screen
    ///   if it is to be seen at all.
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
