import DeviceTransport
import Platform

/// A device that is found and asked about itself while the caller does something else, such as looking for overlays. Any thread.
public final class DeviceOpening: Sendable {
    /// The device and what it says of itself.
    typealias Opened = (device: any DeviceAccess, information: DeviceInformation)

    private enum State {
        case opening
        case opened(Result<Opened, HostError>)
        /// Taken, or given up.
        case over
    }

    private let state = Monitor(State.opening)

    /// Begins.
    ///
    /// - Parameters:
    ///   - selector: the beginning of a UDID or name; nil: the only device there is.
    ///   - loggers: hear what the device is asked.
    ///   - cancellation: ends it early.
    public init(_ selector: String?, loggers: SessionLoggers?, _ cancellation: Cancellation) {
        let isRunning = SystemThread.detached { [state] in
            let result = Result { () throws(HostError) in
                try Self.open(selector, loggers?.deviceTrace, OperationContext(cancellation: cancellation))
            }
            let isUnwanted = state.change { state in
                guard case .opening = state else { return true }
                state = .opened(result)
                return false
            }
            if isUnwanted, case .success(let opened) = result { opened.device.close() }
        }
        if !isRunning { state.change { $0 = .over } }
    }

    /// What came of it, once it is known; nil if it could not begin. Once.
    func take() throws(HostError) -> Opened? {
        let result = state.wait { state -> Result<Opened, HostError>?? in
            switch state {
            case .opening: return nil
            case .over: return .some(nil)
            case .opened(let result):
                state = .over
                return result
            }
        }
        return try result?.get()
    }

    /// Closes the device unless it has been taken. Does not wait.
    public func giveUp() {
        let unused = state.change { state in
            defer { state = .over }
            if case .opened(.success(let opened)) = state { return opened.device as (any DeviceAccess)? }
            return nil
        }
        unused?.close()
    }

    /// Finds the device that is meant, and asks it about itself.
    static func open(
        _ selector: String?, _ trace: DeviceTrace?, _ context: OperationContext
    ) throws(HostError) -> Opened {
        let device = try ReaderTarget.device(selector, trace: trace, context)
        do throws(HostError) {
            return (device, try transporting { () throws(TransportError) in try device.information(context) })
        } catch {
            device.close()
            throw error
        }
    }
}
