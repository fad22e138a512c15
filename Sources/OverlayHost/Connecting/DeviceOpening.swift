import DeviceTransport
import Platform

/// Finds a device and reads its information in the background, while the caller does something else, such as
/// searching for overlays. Any thread.
///
/// ```swift
/// func open(_ request: SessionRequest) throws -> HostSession {
///     var request = request
///     request.opening = DeviceOpening(request.device, loggers: request.loggers, request.cancellation)
///     request.overlays = request.discovery.discover()  // meanwhile the device is opened
///     return try HostSession(request)
/// }
/// ```
public final class DeviceOpening: Sendable {
    /// The device and its information.
    typealias Opened = (device: any DeviceAccess, information: DeviceInformation)

    private let early: BackgroundResult<Opened, HostError>

    /// Starts opening a device.
    ///
    /// - Parameters:
    ///   - selector: the beginning of a UDID or name; nil for the only device.
    ///   - loggers: loggers that record the requests to the device.
    ///   - cancellation: cancels the opening.
    public init(_ selector: String?, loggers: SessionLoggers?, _ cancellation: Cancellation) {
        early = BackgroundResult {
            Result { () throws(HostError) in
                try Self.open(selector, loggers?.deviceTrace, OperationContext(cancellation: cancellation))
            }
        } discard: { opened in
            opened.device.close()
        }
    }

    /// Waits for the device. Returns nil if opening did not start. Call at most once.
    func take() throws(HostError) -> Opened? { try early.take() }

    /// Closes the device unless it has been taken. Does not wait.
    public func giveUp() { early.giveUp() }

    /// Finds the selected device and reads its information. At the same time, begins connections for later requests.
    static func open(
        _ selector: String?, _ trace: DeviceTrace?, _ context: OperationContext
    ) throws(HostError) -> Opened {
        let device = try ReaderTarget.device(selector, trace: trace, context)
        do throws(HostError) {
            let information = try transporting { () throws(TransportError) in
                try device.information(readyingFiles: true, context)
            }
            return (device, information)
        } catch {
            device.close()
            throw error
        }
    }
}
