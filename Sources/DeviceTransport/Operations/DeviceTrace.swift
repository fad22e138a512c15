import DeviceWire

/// Records each call to the device that does not concern files: usbmuxd, lockdownd, the start of services, their
/// handshakes, house_arrest and installation_proxy. Optionally it also records every file request.
///
/// Use the same trace for a catalogue and its sessions. It is called on the thread that made the call, so reports may
/// overlap.
public final class DeviceTrace: Sendable {
    /// One call that has ended.
    public struct Call: Sendable {
        /// The name of the call, such as `lockdownd.GetValue` or `AFC.GET_FILE_INFO`.
        public var name: String
        /// The key, service or app; nil if the name is sufficient.
        public var subject: String?
        /// The duration of the call.
        public var duration: Duration
        /// The reason why it failed; nil on success.
        public var failure: TransportError?
    }

    /// Whether it also records file requests.
    let observesFiles: Bool
    private let observer: @Sendable (Call) -> Void

    /// Creates a trace. `observer` must return quickly and must not call the device.
    ///
    /// - Parameters:
    ///  - files: whether to also report each file request once it is answered, without its path. There may be many.
    ///  - observer: receives each call, on any thread.
    public init(files: Bool = false, _ observer: @escaping @Sendable (Call) -> Void) {
        (observesFiles, self.observer) = (files, observer)
    }

    /// Reports a file request that was answered.
    func answered(_ request: AFCOperation, at start: ContinuousClock.Instant, _ status: AFCStatus?) {
        note("AFC.\(request.name)", nil, start, status.flatMap { TransportError(afc: $0) })
    }

    fileprivate func note(
        _ name: String, _ subject: String?, _ start: ContinuousClock.Instant, _ failure: TransportError?
    ) {
        observer(Call(name: name, subject: subject, duration: .now - start, failure: failure))
    }
}

extension DeviceTrace: Hashable {
    /// Compares by identity.
    public static func == (left: DeviceTrace, right: DeviceTrace) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension DeviceTrace? {
    /// Makes a call and reports its result.
    func call<Value>(
        _ name: String, _ subject: String? = nil, _ body: () throws(TransportError) -> Value
    ) throws(TransportError) -> Value {
        guard let trace = self else { return try body() }
        let start = ContinuousClock.now
        do throws(TransportError) {
            let value = try body()
            trace.note(name, subject, start, nil)
            return value
        } catch {
            trace.note(name, subject, start, error)
            throw error
        }
    }

    /// Traces a call that returns its failure instead of throwing it.
    func call<Value>(
        _ name: String, _ subject: String? = nil, _ body: () -> Result<Value, TransportError>
    ) -> Result<Value, TransportError> {
        guard let trace = self else { return body() }
        let start = ContinuousClock.now
        let result = body()
        if case .failure(let error) = result {
            trace.note(name, subject, start, error)
        } else {
            trace.note(name, subject, start, nil)
        }
        return result
    }
}
