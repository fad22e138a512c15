import DeviceTransport
import Logging

/// The loggers of a session: one for each category that a user can enable.
///
/// ```swift
/// let preferences = Preferences(file: HostPaths.current().preferencesFile)
/// let loggers = SessionLoggers(try DiagnosticSwitches(preferences.read(), verbose: true))
/// loggers.host.info("The session begins.")
/// ```
public struct SessionLoggers: Sendable {
    /// Messages of the host.
    public var host: Logger
    /// Messages of the overlay.
    public var overlay: Logger
    /// Calls into the overlay: `debug_plugin`.
    public var plugin: Logger
    /// Calls to the device: `debug_libimobiledevice`.
    public var device: Logger
    /// Every check for a device that can be served: `debug_can_handle`.
    public var canHandle: Logger

    /// Called with requests to open and read the device's files, in addition to the logger `device`. Called on any
    /// thread.
    package var observer: (@Sendable (DeviceTrace.Call) -> Void)?

    /// Logs the requests to open and read the device's files to `device`; nil if that is disabled and there is no
    /// `observer`.
    package var deviceTrace: DeviceTrace? {
        let (logger, observer) = (device, observer)
        guard logger.logLevel <= .trace || observer != nil else { return nil }
        return DeviceTrace(files: observer != nil) { call in
            observer?(call)
            var metadata: Logger.Metadata = ["duration": "\(call.duration)"]
            if let subject = call.subject { metadata["subject"] = "\(subject)" }
            if let failure = call.failure { metadata["error"] = "\(failure)" }
            logger.trace("\(call.name)", metadata: metadata)
        }
    }

    /// Uses one logger for all categories.
    public init(_ logger: Logger) {
        (host, overlay, plugin, device, canHandle) = (logger, logger, logger, logger, logger)
    }

    /// Creates the loggers that preferences and command line enable. They write to standard error.
    public init(_ switches: DiagnosticSwitches) { self.init(switches, to: .standardError) }

    /// Creates the loggers for another output.
    package init(_ switches: DiagnosticSwitches, to output: StandardErrorLogHandler.Output) {
        host = switches.logger(.host, to: output)
        overlay = switches.logger(.overlay, to: output)
        plugin = switches.logger(.plugin, to: output)
        device = switches.logger(.libimobiledevice, to: output)
        canHandle = switches.logger(.canHandle, to: output)
    }
}
