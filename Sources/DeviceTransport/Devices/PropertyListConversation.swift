import Glibc

/// Property lists over a service connection: a length of four bytes, big-endian, then the list.
struct PropertyListConversation {
    /// The most bytes of one answer.
    static let maximumLength = 32 << 20

    let connection: ServiceConnection

    /// Sends a list, length and body in one piece.
    func send(_ message: [String: DeviceValue], _ context: OperationContext) throws(TransportError) {
        let body = try LibplistConversion.encode(.dictionary(message))
        guard let length = UInt32(exactly: body.count) else {
            throw TransportError(.tooLarge, "A request to the device is too large.")
        }
        var bytes = withUnsafeBytes(of: length.bigEndian) { [UInt8]($0) }
        bytes += body
        var sent = 0
        while sent < bytes.count {
            let outcome = bytes.withUnsafeBytes {
                connection.write(UnsafeRawBufferPointer(rebasing: $0[sent...]))
            }
            switch outcome {
            case .moved(let count): sent += count
            case .wouldBlock: try wait(POLLOUT, context)
            case .closed: throw closed
            case .failed(let error): throw error
            }
        }
    }

    /// Receives a list, which has to be a dictionary.
    func receive(_ context: OperationContext) throws(TransportError) -> [String: DeviceValue] {
        let prefix = try receive(4, context)
        let length = prefix.withUnsafeBytes { Int(UInt32(bigEndian: $0.loadUnaligned(as: UInt32.self))) }
        guard length > 0, length <= Self.maximumLength else {
            throw TransportError(
                .protocolViolation, "The device announced an answer of \(length) bytes.",
                hint: TransportError.reconnectHint)
        }
        let body = try receive(length, context)
        let value = body.withUnsafeBytes { bytes in
            Result { () throws(TransportError) in try LibplistConversion.decode(bytes) }
        }
        guard case .dictionary(let dictionary) = try value.get() else {
            throw TransportError(.protocolViolation, "The device's answer is not a dictionary.")
        }
        return dictionary
    }

    private func receive(_ count: Int, _ context: OperationContext) throws(TransportError) -> [UInt8] {
        // Grows with the bytes that arrive, so that an announced length alone does not take memory.
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: min(count, 64 << 10))
        while bytes.count < count {
            let wanted = min(count - bytes.count, piece.count)
            let outcome = piece.withUnsafeMutableBytes {
                connection.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<wanted]))
            }
            switch outcome {
            case .moved(let count): bytes += piece[..<count]
            case .wouldBlock: try wait(POLLIN, context)
            case .closed: throw closed
            case .failed(let error): throw error
            }
        }
        return bytes
    }

    private func wait(_ events: Int32, _ context: OperationContext) throws(TransportError) {
        var descriptors = [pollfd(fd: connection.descriptor, events: Int16(events), revents: 0)]
        let limit = ContinuousClock.now.advanced(by: context.silenceLimit)
        guard try Waiting.wait(&descriptors, context, life: connection.life, until: limit) else {
            throw .silence
        }
    }

    private var closed: TransportError {
        TransportError(
            .connectionLost, "The device closed the connection.", hint: TransportError.reconnectHint)
    }
}
