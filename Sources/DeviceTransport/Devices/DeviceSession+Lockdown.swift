import CLibimobiledevice
import Glibc
import Synchronization

extension DeviceSession {
    /// The values that describe the device. Without pairing there are fewer.
    public func information(_ context: OperationContext = OperationContext()) throws(TransportError)
        -> DeviceInformation
    {
        DeviceInformation(values: try values(domain: nil, context))
    }

    /// One lockdown value; nil if the device does not have it, or does not give it to an untrusted host.
    public func value(
        _ key: String, domain: String? = nil, _ context: OperationContext = OperationContext()
    ) throws(TransportError) -> DeviceValue? {
        try readingValues(context) { client throws(TransportError) in
            do throws(TransportError) {
                return try client.value(domain: domain, key: key, context)
            } catch {
                guard error.code == .permissionDenied else { throw error }
                return nil
            }
        }
    }

    /// All lockdown values of a domain; empty if the device does not have the domain. A nil domain is the default
    /// one, which works without pairing.
    public func values(domain: String?, _ context: OperationContext = OperationContext())
        throws(TransportError)
        -> [String: DeviceValue]
    {
        let value = try readingValues(context) { client throws(TransportError) in
            try client.value(domain: domain, key: nil, context)
        }
        guard let value else { return [:] }
        guard let values = value.dictionary else {
            throw TransportError(
                .protocolViolation, "The device did not return any values.", subject: domain ?? device.udid,
                hint: TransportError.reconnectHint)
        }
        return values
    }

    /// The device's name, which is available without pairing.
    package func publicName(_ context: OperationContext) throws(TransportError) -> String? {
        try withLockdown(session: false, context) { client throws(TransportError) in
            try client.value(domain: nil, key: "DeviceName", context)
        }?.visibleText
    }

    /// Whether the device and the host trust each other. This call never pairs them.
    public func pairing(_ context: OperationContext = OperationContext()) throws(TransportError)
        -> PairingState
    {
        do throws(TransportError) {
            try withLockdown(session: true, context) { _ in }
            return .paired
        } catch {
            switch error.code {
            case .notPaired: return error.native?.domain == .usbmuxd ? .notPaired : .stale
            case .pairingPending: return .pending
            case .pairingDenied: return .denied
            case .passcodeLocked: return .locked
            default: throw error
            }
        }
    }

    /// Asks the device to trust the host, which opens the trust dialog, and returns the state.
    ///
    /// Returns `.paired` if the user agrees or has agreed before; otherwise `.pending`, `.denied` or `.locked`.
    /// Throws if the device cannot be asked, for example over the network.
    public func askForTrust(_ context: OperationContext = OperationContext()) throws(TransportError)
        -> PairingState
    {
        do throws(TransportError) {
            try pair(waitsForAnswer: false, context)
            return .paired
        } catch {
            switch error.code {
            case .pairingPending: return .pending
            case .pairingDenied: return .denied
            case .passcodeLocked: return .locked
            default: throw error
            }
        }
    }

    /// Pairs with the device.
    ///
    /// With `waitsForAnswer`, waits until the user answers the trust dialog, the deadline passes or the call is
    /// cancelled. Otherwise throws `.pairingPending` if the dialog is open. Also throws `.passcodeLocked` and
    /// `.pairingDenied`.
    public func pair(waitsForAnswer: Bool = false, _ context: OperationContext = OperationContext())
        throws(TransportError)
    {
        withExtendedLifetime(takeLockdown()) {}
        while true {
            do throws(TransportError) {
                return try LibraryCall.run(context, life: handle.life) { [handle, options] in
                    Pairing.pair(handle, label: options.label, trace: options.trace)
                }
            } catch {
                let error = diagnosed(error)
                guard waitsForAnswer, error.code == .pairingPending else { throw error }
            }
            // The device does not report when the dialog is answered, so ask it again.
            var none: [pollfd] = []
            _ = try Waiting.wait(
                &none, context, life: handle.life, until: .now.advanced(by: .milliseconds(500)))
        }
    }

    /// Reads with a session if the device and the host trust each other, and without one otherwise.
    private func readingValues<Value>(
        _ context: OperationContext, _ body: (LockdownClient) throws(TransportError) -> Value
    ) throws(TransportError) -> Value {
        do throws(TransportError) {
            return try withLockdown(session: true, context, body)
        } catch {
            switch error.code {
            case .notPaired, .pairingPending, .pairingDenied, .passcodeLocked, .tlsFailed:
                return try withLockdown(session: false, context, body)
            default: throw error
            }
        }
    }

    /// Runs `body` with a lockdown client, which is the kept one if it is fresh.
    func withLockdown<Value>(
        session: Bool, _ context: OperationContext,
        _ body: (LockdownClient) throws(TransportError) -> Value
    ) throws(TransportError) -> Value {
        do throws(TransportError) {
            if let client = takeLockdown() {
                do throws(TransportError) {
                    defer { keepLockdown(client) }
                    return try body(client)
                } catch {
                    // The device may have just closed the kept conversation.
                    guard !client.isInStep, Self.meansLost(error) else { throw error }
                }
            }
            let client = try LockdownClient.connect(
                handle, label: options.label, session: session, trace: options.trace, context)
            if let system = client.system { kept.withLock { $0.system = system } }
            defer { if session { keepLockdown(client) } }
            return try body(client)
        } catch {
            throw diagnosed(error)
        }
    }

    /// Whether the error means that lockdownd closed the conversation, which it does after an idle time.
    static func meansLost(_ error: TransportError) -> Bool {
        [.connectionLost, .tlsFailed, .protocolViolation].contains(error.code)
    }

    /// Whether a conversation may be used again. Devices close conversations that were idle for a minute, so half of
    /// that is the limit. A conversation that was closed earlier is detected before use, or replaced by a new one.
    static func isFresh(_ lastUse: ContinuousClock.Instant) -> Bool {
        ContinuousClock.now - lastUse < .seconds(30)
    }

    private func takeLockdown() -> LockdownClient? {
        let taken = kept.withLock { kept in
            defer { kept.lockdown = nil }
            return kept.lockdown
        }
        guard let (client, since) = taken, Self.isFresh(since), !client.isStale else { return nil }
        return client
    }

    /// Keeps the client, unless its requests and answers may no longer match.
    private func keepLockdown(_ client: LockdownClient) {
        guard client.isInStep else { return }
        let former = kept.withLock { kept in
            defer { kept.lockdown = (client, .now) }
            return kept.lockdown
        }
        // Deinitialization communicates with the device, so it happens outside the lock.
        withExtendedLifetime(former) {}
    }
}

/// Whether the device and the host trust each other.
///
/// `DeviceSession.pairing` never pairs, so it can report only `paired`, `notPaired`, `stale` and a locked device.
/// lockdownd reports `pending`, `denied` and `locked` only to a host that asks for trust.
public enum PairingState: String, Sendable, Hashable, CaseIterable {
    /// They trust each other.
    case paired
    /// The host has no pair record for the device.
    case notPaired = "not-paired"
    /// The host has a record, but the device has forgotten the pairing; pair again.
    case stale
    /// The trust dialog is open on the device.
    case pending
    /// The user chose not to trust the host.
    case denied
    /// The device is locked and cannot show the dialog.
    case locked
}

/// Pairs with libimobiledevice, which creates the keys and stores the record in usbmuxd.
private enum Pairing {
    /// Asks the device to trust this host. Blocks, so it is called within a `LibraryCall`.
    static func pair(_ handle: DeviceHandle, label: String, trace: DeviceTrace?)
        -> Result<Void, TransportError>
    {
        trace.call("lockdownd.Pair") {
            var client: lockdownd_client_t?
            defer { if let client { lockdownd_client_free(client) } }
            let connected = lockdownd_client_new(handle.pointer, &client, label)
            if let error = TransportError(
                lockdownd: connected.rawValue, doing: "Talking to the device", subject: handle.life.udid)
            {
                return .failure(error)
            }
            let result = lockdownd_pair(client, nil)
            let error = TransportError(
                lockdownd: result.rawValue, doing: "Pairing", subject: handle.life.udid)
            return error.map { .failure($0) } ?? .success(())
        }
    }
}
