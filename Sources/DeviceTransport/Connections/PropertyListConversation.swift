import DeviceWire
import Glibc

/// Exchanges property lists over a service connection. A big-endian length of four bytes precedes each list.
struct PropertyListConversation {
    /// The largest size of an answer, in bytes.
    static let maximumLength = 32 << 20

    let connection: ServiceConnection
    /// The largest size of an answer in this conversation, in bytes.
    var limit = maximumLength

    /// Sends the length and the list in one piece. Gives up if the device accepts no bytes for the silence limit, or
    /// at `end`.
    func send(
        _ message: [String: DeviceValue], _ context: OperationContext,
        until end: ContinuousClock.Instant? = nil
    ) throws(TransportError) {
        let frame: [UInt8]
        do throws(WireError) {
            frame = try PropertyListFrame.encode(DeviceValue.dictionary(message).propertyList)
        } catch {
            throw TransportError(.invalidArgument, "A request to the device cannot be written.")
        }
        var rest = frame[...]
        while true {
            let outcome =
                rest.isEmpty ? connection.readyToWrite() : rest.withUnsafeBytes { connection.write($0) }
            switch outcome {
            case .moved(let count):
                rest = rest.dropFirst(count)
                if rest.isEmpty, !connection.owesBytes { return }
            case .wouldBlock: try wait(POLLOUT, context, end)
            case .closed: throw closed
            case .failed(let error): throw error
            }
        }
    }

    /// Receives a list, which must be a dictionary. Gives up if the device sends nothing for the silence limit, or at
    /// `end`.
    func receive(_ context: OperationContext, until end: ContinuousClock.Instant? = nil)
        throws(TransportError) -> [String: DeviceValue]
    {
        let header = try receive(PropertyListFrame.headerSize, context, end)
        let length: Int
        do throws(WireError) {
            length = try PropertyListFrame.length(header, limit: limit)
        } catch {
            let announced = header.reduce(0) { $0 << 8 | Int($1) }
            throw .violation("The device announced an answer of \(announced) bytes.")
        }
        guard
            case .dictionary(let dictionary) = try DeviceValue(parsing: try receive(length, context, end))
        else { throw TransportError(.protocolViolation, "The device's answer is not a dictionary.") }
        return dictionary
    }

    private func receive(_ count: Int, _ context: OperationContext, _ end: ContinuousClock.Instant?)
        throws(TransportError) -> [UInt8]
    {
        // The array grows with the bytes that arrive, so that an announced length alone does not use memory.
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: min(count, 64 << 10))
        while bytes.count < count {
            let wanted = min(count - bytes.count, piece.count)
            let outcome = piece.withUnsafeMutableBytes {
                connection.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<wanted]))
            }
            switch outcome {
            case .moved(let moved):
                bytes += piece[..<moved]
                if let end, bytes.count < count, ContinuousClock.now >= end { throw .silence }
                try context.check()
            case .wouldBlock: try wait(POLLIN, context, end)
            case .closed: throw closed
            case .failed(let error): throw error
            }
        }
        return bytes
    }

    private func wait(_ events: Int32, _ context: OperationContext, _ end: ContinuousClock.Instant?)
        throws(TransportError)
    {
        try connection.wait(
            Int16(events), context, until: end ?? .now.advanced(by: context.silenceLimit))
    }

    private var closed: TransportError {
        TransportError(
            .connectionLost, "The device closed the connection.", hint: TransportError.reconnectHint)
    }
}
