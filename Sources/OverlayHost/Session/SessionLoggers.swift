import Logging

/// Who hears what a session does, one logger for each stream that a person can switch on by itself.
public struct SessionLoggers: Sendable {
    /// What the host does.
    public var host: Logger
    /// What the overlay says.
    public var overlay: Logger
    /// Calls into the overlay: `debug_plugin`.
    public var plugin: Logger
    /// Calls to the device: `debug_libimobiledevice`.
    public var device: Logger
    /// Every poll for a device that can be served: `debug_can_handle`.
    public var canHandle: Logger

    /// One logger for all.
    public init(_ logger: Logger) {
        (host, overlay, plugin, device, canHandle) = (logger, logger, logger, logger, logger)
    }

    /// The streams that the preferences and the command line switch on, to standard error.
    public init(_ switches: DiagnosticSwitches) {
        host = switches.logger(.host)
        overlay = switches.logger(.overlay)
        plugin = switches.logger(.plugin)
        device = switches.logger(.libimobiledevice)
        canHandle = switches.logger(.canHandle)
    }
}
