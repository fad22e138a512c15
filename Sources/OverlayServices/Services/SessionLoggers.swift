import DeviceTransport
import Logging

/// The loggers of a session: one for each stream that a person can switch on.
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

    /// Called with the calls that lead to the device's files, and the requests about files, besides the
    /// stream `device`; called on any thread.
    package var hears: (@Sendable (DeviceTrace.Call) -> Void)?

    /// Puts the calls that lead to the device's files into the stream `device`; nil when that is switched off and `hears` is
    /// nil.
    package var deviceTrace: DeviceTrace? {
        let (logger, hears) = (device, hears)
        guard logger.logLevel <= .trace || hears != nil else { return nil }
        return DeviceTrace(files: hears != nil) { call in
            hears?(call)
            var metadata: Logger.Metadata = ["duration": "\(call.duration)"]
            if let subject = call.subject { metadata["subject"] = "\(subject)" }
            if let failure = call.failure { metadata["error"] = "\(failure)" }
            logger.trace("\(call.name)", metadata: metadata)
        }
    }

    /// One logger for all.
    public init(_ logger: Logger) {
        (host, overlay, plugin, device, canHandle) = (logger, logger, logger, logger, logger)
    }

    /// The streams that the preferences and the command line switch on, to standard error.
    public init(_ switches: DiagnosticSwitches) { self.init(switches, to: .standardError) }

    /// The same streams to another place.
    package init(_ switches: DiagnosticSwitches, to output: StandardErrorLogHandler.Output) {
        host = switches.logger(.host, to: output)
        overlay = switches.logger(.overlay, to: output)
        plugin = switches.logger(.plugin, to: output)
        device = switches.logger(.libimobiledevice, to: output)
        canHandle = switches.logger(.canHandle, to: output)
    }
}
