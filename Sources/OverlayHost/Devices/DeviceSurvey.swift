import DeviceTransport
import Platform

/// The attached devices with their information: the `devices` command.
///
/// ```swift
/// for device in try DeviceSurvey.run() {
///     print(device.name ?? device.udid, device.problem?.message ?? "ready")
/// }
/// ```
public enum DeviceSurvey {
    /// The time limit for the information of one device.
    private static let limit = Duration.seconds(10)
    /// The time limit for the name of one device.
    private static let nameLimit = Duration.seconds(5)

    /// Asks usbmuxd and every device. A device that does not answer is listed with its problem. Blocks.
    public static func run(loggers: SessionLoggers? = nil, cancellation: Cancellation = Cancellation())
        throws(HostError) -> [DeviceSummary]
    {
        let context = OperationContext(cancellation: cancellation)
        let options = DeviceSessionOptions(trace: loggers?.deviceTrace)
        let devices = try transporting { () throws(TransportError) in
            try DeviceCatalog(trace: options.trace).devices(context)
        }
        let summaries = SimultaneousRun.map(devices) { device in
            ask(device, options, OperationContext(cancellation: cancellation, limit: limit))
        }
        if summaries.contains(where: { $0.problem?.code == .cancelled }) {
            throw HostError(.cancelled, "The command was cancelled.")
        }
        return summaries
    }

    /// The attached devices with only their names, which do not require pairing. Asks all devices at the same time.
    /// Blocks.
    static func names(loggers: SessionLoggers?, cancellation: Cancellation) throws(HostError)
        -> [DeviceChoice.Chosen]
    {
        let (context, trace) = (OperationContext(cancellation: cancellation), loggers?.deviceTrace)
        let devices = try transporting { () throws(TransportError) in
            try DeviceCatalog(trace: trace).devices(context)
        }
        let chosen = SimultaneousRun.map(devices) { device in
            DeviceChoice.Chosen(udid: device.udid, name: name(of: device, trace, cancellation))
        }
        if cancellation.isCancelled { throw HostError(.cancelled, "The command was cancelled.") }
        return chosen
    }

    /// The UDID of the only attached device, or of the one that a text selects: the beginning of a UDID or name. Asks
    /// devices for their names only if the text is not a UDID. Blocks.
    package static func udid(
        matching selector: String?, loggers: SessionLoggers?, cancellation: Cancellation
    ) throws(HostError) -> String {
        let context = OperationContext(cancellation: cancellation)
        return try transporting { () throws(TransportError) in
            try DeviceCatalog(trace: loggers?.deviceTrace).device(matching: selector, context).udid
        }
    }

    /// The UDIDs of the attached devices. Does not send requests to devices. Blocks.
    package static func attached(loggers: SessionLoggers?, cancellation: Cancellation) throws(HostError)
        -> [String]
    {
        let context = OperationContext(cancellation: cancellation)
        return try transporting { () throws(TransportError) in
            try DeviceCatalog(trace: loggers?.deviceTrace).devices(context)
        }.map(\.udid)
    }

    /// The name of an attached device; nil if it is gone or does not report a name. Blocks for at most five seconds.
    package static func name(of udid: String, loggers: SessionLoggers?, cancellation: Cancellation) -> String?
    {
        let context = OperationContext(cancellation: cancellation, limit: nameLimit)
        do throws(TransportError) {
            let devices = try DeviceCatalog(trace: loggers?.deviceTrace).devices(context)
            guard let device = devices.first(where: { ReaderConnection.isSame($0.udid, udid) }) else {
                return nil
            }
            return name(of: device, loggers?.deviceTrace, cancellation)
        } catch {
            // A device without a name is displayed by its UDID.
            return nil
        }
    }

    private static func name(
        of device: DeviceDescription, _ trace: DeviceTrace?, _ cancellation: Cancellation
    ) -> String? {
        let context = OperationContext(cancellation: cancellation, limit: nameLimit)
        do throws(TransportError) {
            let session = try DeviceSession(device, options: DeviceSessionOptions(trace: trace), context)
            defer { session.close() }
            return try session.publicName(context)
        } catch {
            // A device without a name is displayed by its UDID.
            return nil
        }
    }

    private static func ask(
        _ device: DeviceDescription, _ options: DeviceSessionOptions, _ context: OperationContext
    ) -> DeviceSummary {
        var information: DeviceInformation?
        do throws(TransportError) {
            let session = try DeviceSession(device, options: options, context)
            defer { session.close() }
            information = try session.information(context)
            return DeviceSummary(device, information, pairing: try session.pairing(context))
        } catch {
            return DeviceSummary(device, information, problem: HostError(error))
        }
    }
}
