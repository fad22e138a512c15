/// What a simulated device thinks of the computer it is connected to.
public enum DeviceTrust: String, Sendable, Equatable, CaseIterable {
    /// Paired: the daemon holds a pair record that the device honours.
    case trusted
    /// Never paired, or has forgotten the computer; whoever asks to pair is accepted at once.
    case neverPaired
    /// The question "Trust This Computer?" is on the screen and unanswered.
    case pairingPending
    /// The question was answered with "Don't Trust".
    case denied
}
