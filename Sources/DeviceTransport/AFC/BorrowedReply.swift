import DeviceWire

/// A reply of the device. Its data are valid only during the call.
enum BorrowedReply {
    case status(AFCStatus)
    case data(UnsafeRawBufferPointer)
    case handle(UInt64)
    case position(UInt64)

    /// The error of a status; nil for success. Any other reply to a request without a result is a protocol violation.
    func failure(_ subject: String) -> TransportError? {
        if case .status(let status) = self { return TransportError(afc: status, subject: subject) }
        return violation("an answer to a different request", subject)
    }

    /// Whether the device lacked resources for the request, and did not carry it out.
    var meansShortage: Bool { if case .status(.noResources) = self { true } else { false } }

    /// The handle of an opened file. Throws for any other reply.
    func handle(_ subject: String) throws(TransportError) -> UInt64 {
        if case .handle(let handle) = self { return handle }
        throw failureInsteadOfResult(subject)
    }

    /// The bytes of a result. Throws for any other reply.
    func data(_ subject: String) throws(TransportError) -> UnsafeRawBufferPointer {
        if case .data(let bytes) = self { return bytes }
        throw failureInsteadOfResult(subject)
    }

    private func failureInsteadOfResult(_ subject: String) -> TransportError {
        guard case .status(let status) = self else {
            return violation("an answer to a different request", subject)
        }
        return TransportError(afc: status, subject: subject) ?? violation("success without a result", subject)
    }

    private func violation(_ what: String, _ subject: String) -> TransportError {
        TransportError.violation("The device sent \(what).").about(subject)
    }
}

extension AFCStatus {
    /// Whether the device does not support the operation.
    var meansUnsupported: Bool { self == .operationNotSupported || self == .unknownPacketType }
}

extension FileStatus {
    /// Parses the answer to GET_FILE_INFO.
    init(_ answer: BorrowedReply, _ path: String) throws(TransportError) {
        let bytes = [UInt8](try answer.data(path))
        do throws(WireError) {
            self.init(try AFCFileInfo(decoding: bytes))
        } catch {
            throw TransportError.violation(error.message).about(path)
        }
    }

    /// Parses the answer to GET_FILE_INFO; nil if the path does not exist.
    init?(ifThere answer: BorrowedReply, _ path: String) throws(TransportError) {
        if case .status(.objectNotFound) = answer { return nil }
        try self.init(answer, path)
    }

    private init(_ info: AFCFileInfo) {
        let kind: Kind =
            switch info.kind {
            case .file: .file
            case .folder: .folder
            case .symbolicLink: .link
            case .other: .other
            }
        self.init(
            kind: kind, size: info.size, modified: info.modified == 0 ? nil : info.modified,
            created: info.born,
            linkTarget: info.linkTarget)
    }
}
