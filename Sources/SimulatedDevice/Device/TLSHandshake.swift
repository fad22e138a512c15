/// What a simulated device does when a service connection begins with a TLS handshake.
public enum TLSHandshake: String, Sendable, Equatable, CaseIterable {
    /// It answers.
    case works
    /// It closes the connection.
    case fails
    /// It says nothing for as long as the connection lasts.
    case isUnanswered
}
