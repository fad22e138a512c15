/// A service that waits for its one connection, or has it.
struct OfferedService: Sendable {
    /// The name it was started by.
    let name: String
    let port: UInt16
    /// Whether it counts towards the limit of file connections.
    let isFileService: Bool
    /// Whether it does nothing but read one request after the other, so that its connection may be read ahead.
    var readsOnly: Bool { name != NotificationProxy.serviceName }
    /// Encrypts the connection from its first byte; nil for plain text.
    let tls: TLSContext?
    /// Serves the connection until it ends.
    let run: @Sendable (ConnectionStream) throws -> Void
}
