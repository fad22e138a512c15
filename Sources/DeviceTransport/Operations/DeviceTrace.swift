import DeviceWire

/// Receives each call to the device that is not about files: usbmuxd, lockdownd, the start of services, their handshakes,
/// house_arrest and installation_proxy; on request also of every request about files.
///
/// Give the same trace to a catalogue and to its sessions. It is called on the thread that made the call, so
/// reports may overlap.
public final class DeviceTrace: Sendable {
    /// One call that has ended.
    public struct Call: Sendable {
        /// What was called, such as `lockdownd.GetValue` or `AFC.GET_FILE_INFO`.
        public var name: String
        /// A key, a service or an app; nil when the name says all.
        public var subject: String?
        /// How long it took.
        public var duration: Duration
        /// Why it failed; nil on success.
        public var failure: TransportError?
    }

    /// Whether it also records requests about files.
    let hearsFiles: Bool
    private let hear: @Sendable (Call) -> Void

    /// Makes a trace; `hear` must return soon and must not call the device.
    ///
    /// - Parameters:
    ///   - files: hear also of each request about files once it is answered, without its path. There may be many.
    ///   - hear: called on any thread.
    public init(files: Bool = false, _ hear: @escaping @Sendable (Call) -> Void) {
        (hearsFiles, self.hear) = (files, hear)
    }

    /// Reports a request about files that was answered.
    func answered(_ request: AFCOperation, at start: ContinuousClock.Instant, _ status: AFCStatus?) {
        note("AFC.\(request.name)", nil, start, status.flatMap { TransportError(afc: $0) })
    }

    fileprivate func note(
        _ name: String, _ subject: String?, _ start: ContinuousClock.Instant, _ failure: TransportError?
    ) {
        hear(Call(name: name, subject: subject, duration: .now - start, failure: failure))
    }
}

extension DeviceTrace: Hashable {
    /// Two are equal when they are the same object.
    public static func == (left: DeviceTrace, right: DeviceTrace) -> Bool { left === right }

    /// By identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension DeviceTrace? {
    /// Makes a call and reports how it ended.
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

    /// Traces a call that returns its failure.
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
