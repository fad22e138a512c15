import DeviceTransport
import Platform

/// The attached devices with what each says about itself: the `devices` command.
///
/// ```swift
/// for device in try DeviceSurvey.run() {
///     print(device.name ?? device.udid, device.problem?.message ?? "ready")
/// }
/// ```
public enum DeviceSurvey {
    /// How long one device may take to say who it is.
    private static let limit = Duration.seconds(10)
    /// How long one device may take to say its name.
    private static let nameLimit = Duration.seconds(5)

    /// Asks usbmuxd and every device; one that does not answer is listed with its problem. Blocks.
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

    /// The attached devices with nothing but their names, which they tell anybody; all are asked at once. Blocks.
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

    /// The UDID of the one attached device that a text means: the beginning of a UDID or name; nil: the only one. Devices are asked
    /// their names only if the text is not a UDID. Blocks.
    package static func udid(
        matching selector: String?, loggers: SessionLoggers?, cancellation: Cancellation
    ) throws(HostError) -> String {
        let context = OperationContext(cancellation: cancellation)
        return try transporting { () throws(TransportError) in
            try DeviceCatalog(trace: loggers?.deviceTrace).device(matching: selector, context).udid
        }
    }

    /// The UDIDs of the attached devices. No device is asked. Blocks.
    package static func attached(loggers: SessionLoggers?, cancellation: Cancellation) throws(HostError)
        -> [String]
    {
        let context = OperationContext(cancellation: cancellation)
        return try transporting { () throws(TransportError) in
            try DeviceCatalog(trace: loggers?.deviceTrace).devices(context)
        }.map(\.udid)
    }

    /// The name of an attached device; nil if it is gone or does not tell. Blocks, for at most five seconds.
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
            // Without its name a device is shown by its UDID.
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
            // The same.
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
