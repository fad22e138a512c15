import CLibimobiledevice
import Glibc

/// A `lockdownd_client_t`. Every method blocks and is called within a `LibraryCall`, by one thread at a time.
///
/// lockdownd drops a connection that is idle for about ten seconds, so a client is kept for a few seconds at
/// most.
final class LockdownClient: @unchecked Sendable {
    // `pointer` is used by one thread at a time: the one that took the client out of its session.
    private let pointer: lockdownd_client_t
    private let handle: DeviceHandle
    private let trace: DeviceTrace?
    let hasSession: Bool

    /// Connects; with `session`, also authenticates with the host's pair record. Without a record the library
    /// would pair, so a missing one is an error.
    static func connect(_ handle: DeviceHandle, label: String, session: Bool, trace: DeviceTrace?) -> Result<
        LockdownClient, TransportError
    > {
        trace.call(session ? "lockdownd.StartSession" : "lockdownd.connect") {
            connect(handle, label, session, trace)
        }
    }

    private static func connect(
        _ handle: DeviceHandle, _ label: String, _ session: Bool, _ trace: DeviceTrace?
    ) -> Result<LockdownClient, TransportError> {
        if session, let error = UsbmuxdPairRecord.missing(udid: handle.life.udid) { return .failure(error) }
        var pointer: lockdownd_client_t?
        let result =
            session
            ? lockdownd_client_new_with_handshake(handle.pointer, &pointer, label)
            : lockdownd_client_new(handle.pointer, &pointer, label)
        if let error = TransportError(
            lockdownd: result.rawValue, doing: "Talking to the device", subject: handle.life.udid)
        {
            return .failure(error)
        }
        guard let pointer else {
            return .failure(
                TransportError(
                    .protocolViolation, "The library did not return a connection to the device.",
                    subject: handle.life.udid))
        }
        return .success(LockdownClient(pointer, handle, session, trace))
    }

    private init(
        _ pointer: lockdownd_client_t, _ handle: DeviceHandle, _ hasSession: Bool, _ trace: DeviceTrace?
    ) {
        self.trace = trace
        self.pointer = pointer
        self.handle = handle
        self.hasSession = hasSession
    }

    deinit {
        // Ending a session waits up to 30 s for the device's answer. No caller should wait for that.
        let (parting, handle) = (Parting(pointer), handle)
        let started = PlainThread.start {
            parting.perform()
            withExtendedLifetime(handle) {}
        }
        if !started { parting.perform() }
    }

    private struct Parting: @unchecked Sendable {
        // The client that owned the pointer is gone, so this is its only user.
        private let pointer: lockdownd_client_t

        init(_ pointer: lockdownd_client_t) { self.pointer = pointer }

        func perform() { lockdownd_client_free(pointer) }
    }

    /// One value, or all values of a domain if the key is nil; nil when the device has none.
    func value(domain: String?, key: String?) -> Result<DeviceValue?, TransportError> {
        let subject = [domain, key].compactMap { $0 }.joined(separator: " ")
        return trace.call("lockdownd.GetValue", subject.isEmpty ? nil : subject) { get(domain, key) }
    }

    private func get(_ domain: String?, _ key: String?) -> Result<DeviceValue?, TransportError> {
        var node: plist_t?
        let result = lockdownd_get_value(pointer, domain, key, &node)
        defer { plist_free(node) }
        if result == LOCKDOWN_E_MISSING_VALUE { return .success(nil) }
        if let error = TransportError(
            lockdownd: result.rawValue, doing: "Reading \(key ?? domain ?? "the device's values")",
            subject: handle.life.udid)
        {
            return .failure(error)
        }
        guard let value = LibplistConversion.value(of: node) else {
            return .failure(
                TransportError(
                    .protocolViolation, "The device did not return \(key ?? domain ?? "its values").",
                    subject: handle.life.udid, hint: TransportError.reconnectHint))
        }
        return .success(value)
    }

    /// A started service, which accepts one connection.
    struct StartedService: Sendable {
        var name: String
        var port: UInt16
        var usesTLS: Bool
    }

    /// Starts a service for one connection. If the device is locked, tries again with the escrow bag of the
    /// pair record, which works if the device was unlocked since it was turned on.
    func start(_ service: String) -> Result<StartedService, TransportError> {
        let result = trace.call("lockdownd.StartService", service) {
            started(service, lockdownd_start_service)
        }
        guard case .failure(let error) = result,
            error.native?.number == Int64(LOCKDOWN_E_PASSWORD_PROTECTED.rawValue)
        else { return result }
        return trace.call("lockdownd.StartService", "\(service) with the escrow bag") {
            started(service, lockdownd_start_service_with_escrow_bag).mapError {
                TransportError.locked(error, withBag: $0)
            }
        }
    }

    private typealias Starting = (
        lockdownd_client_t?, UnsafePointer<CChar>?, UnsafeMutablePointer<lockdownd_service_descriptor_t?>?
    ) -> lockdownd_error_t

    private func started(_ service: String, _ start: Starting) -> Result<StartedService, TransportError> {
        var descriptor: lockdownd_service_descriptor_t?
        let result = start(pointer, service, &descriptor)
        defer { if let descriptor { lockdownd_service_descriptor_free(descriptor) } }
        if let error = TransportError(
            lockdownd: result.rawValue, doing: "Starting \(service)", subject: handle.life.udid)
        {
            return .failure(error)
        }
        guard let descriptor, descriptor.pointee.port != 0 else {
            return .failure(
                TransportError(
                    .protocolViolation, "The device started \(service) without reporting its port.",
                    subject: handle.life.udid, hint: TransportError.reconnectHint))
        }
        return .success(
            StartedService(
                name: service, port: descriptor.pointee.port, usesTLS: descriptor.pointee.ssl_enabled != 0))
    }

    /// Pairs. The library makes the keys and stores the record at usbmuxd.
    func pair() -> Result<Void, TransportError> {
        trace.call("lockdownd.Pair") {
            let result = lockdownd_pair(pointer, nil)
            let error = TransportError(
                lockdownd: result.rawValue, doing: "Pairing", subject: handle.life.udid)
            return error.map { .failure($0) } ?? .success(())
        }
    }
}

/// The pair record that usbmuxd keeps for each device.
enum UsbmuxdPairRecord {
    /// The error for a device without a pair record; nil when there is a record. Blocks for up to 5 s.
    static func missing(udid: String) -> TransportError? {
        var data: UnsafeMutablePointer<CChar>?
        var size: UInt32 = 0
        let result = usbmuxd_read_pair_record(udid, &data, &size)
        free(data)
        if result == 0 { return nil }
        if result == -ENOENT || result == -1 {
            // Daemons report a missing record in different ways. If the daemon itself is missing, the next
            // request fails.
            return TransportError(
                .notPaired, "The device does not trust this computer.", subject: udid,
                hint: TransportError.trustHint, native: NativeCode(.usbmuxd, Int64(result)))
        }
        return TransportError(usbmuxd: result, doing: "Reading the pair record", subject: udid)
    }
}
