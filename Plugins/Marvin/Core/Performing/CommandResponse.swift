import CommandProtocol
import OverlayKit

/// The file in which Marvin answers a command of the companion.
struct CommandResponse {
    private let file: ResponseFile
    private let device: MarvinDevice

    init(_ file: ResponseFile, _ device: MarvinDevice) {
        self.file = file
        self.device = device
    }

    private var path: String {
        switch file {
        case .staged(let name): device.paths.staged(name)
        case .document(let name): device.paths.document(name)
        }
    }

    /// Whether the file is the protocol's, and not the person's.
    private var isOurs: Bool {
        if case .staged = file { true } else { false }
    }

    /// Takes an answer away that an earlier session left, or it would pass for this one.
    func prepare() throws(OverlayError) {
        guard isOurs else { return }
        do {
            try device.host.transport.remove(device.root, path)
        } catch {
            guard error.status == .notFound else { throw error }
        }
    }

    /// Hands the answer over; one of the protocol's own is removed then.
    ///
    /// - Throws: `protocolError` when Marvin said that it answered and did not.
    func deliver(
        _ answer: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError)
            -> Void
    ) throws(OverlayError) {
        guard let info = try device.files([path])[0] else {
            throw OverlayError(
                .protocolError, "Marvin reported success, but did not answer.", subject: path,
                hint: "Restart Marvin on the device and try again.", domain: .readerApp)
        }
        var received: UInt64 = 0
        try device.host.transport.read(device.root, path, offset: 0, length: info.size) {
            chunk, offset, _ throws(OverlayError) in
            received += UInt64(chunk.count)
            try answer(chunk, offset, info.size)
        }
        guard received == info.size else {
            throw OverlayError(
                .verificationFailed, "Received only \(received) of \(info.size) bytes of the answer.",
                subject: path,
                hint: "Try again.", retryable: true)
        }
        try prepare()
    }
}
