import DeviceTransport
import Platform

/// A device that is found and asked about itself while the caller does something else, such as looking for overlays. Any thread.
public final class DeviceOpening: Sendable {
    /// The device and what it says about itself.
    typealias Opened = (device: any DeviceAccess, information: DeviceInformation)

    private let early: BackgroundResult<Opened, HostError>

    /// Begins.
    ///
    /// - Parameters:
    ///   - selector: the beginning of a UDID or name; nil: the only device there is.
    ///   - loggers: record the requests to the device.
    ///   - cancellation: ends it early.
    public init(_ selector: String?, loggers: SessionLoggers?, _ cancellation: Cancellation) {
        early = BackgroundResult {
            Result { () throws(HostError) in
                try Self.open(selector, loggers?.deviceTrace, OperationContext(cancellation: cancellation))
            }
        } discard: { opened in
            opened.device.close()
        }
    }

    /// Waits for the device. Nil if opening never started. Call at most once.
    func take() throws(HostError) -> Opened? { try early.take() }

    /// Closes the device unless it has been taken. Does not wait.
    public func giveUp() { early.giveUp() }

    /// Finds the device that is meant, and asks it about itself. Connections for the questions that follow are begun meanwhile.
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
