import DeviceTransport

/// The attached devices with what each says about itself: the `devices` command.
public enum DeviceSurvey {
    /// How long one device may take to say who it is.
    private static let limit = Duration.seconds(10)

    /// Asks usbmuxd and every device; one that does not answer is listed with its problem. Blocks.
    public static func run(loggers: SessionLoggers? = nil, cancellation: Cancellation = Cancellation())
        throws(HostError) -> [DeviceSummary]
    {
        let context = OperationContext(cancellation: cancellation)
        let options = DeviceSessionOptions(trace: loggers?.deviceTrace)
        let devices = try transporting { () throws(TransportError) in
            try DeviceCatalog(trace: options.trace).devices(context)
        }
        var summaries: [DeviceSummary] = []
        for device in devices {
            let summary = ask(device, options, OperationContext(cancellation: cancellation, limit: limit))
            if summary.problem?.code == .cancelled {
                throw HostError(.cancelled, "The command was cancelled.")
            }
            summaries.append(summary)
        }
        return summaries
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
