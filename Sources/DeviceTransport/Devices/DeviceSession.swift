import Glibc
import Synchronization

/// A session with one device: its values, pairing and apps, and access to its files.
///
/// Methods block and may be called by any number of threads at once (not on Swift's concurrency pool). When the
/// device is unplugged, every call ends within a second with `.deviceGone`. A device that is plugged in again needs a
/// new session.
public final class DeviceSession: Sendable {
    /// The device of the session.
    public let device: DeviceDescription
    /// The options of the session.
    public let options: DeviceSessionOptions
    let handle: DeviceHandle
    let kept = Mutex(Kept())

    /// Connections kept for the next call.
    struct Kept {
        /// A lockdown client with a session, and when it was last used.
        var lockdown: (client: LockdownClient, since: ContinuousClock.Instant)?
        /// A conversation with installation_proxy, and when it was last used.
        var apps: (conversation: PropertyListConversation, since: ContinuousClock.Instant)?
        /// The last answer about apps that was requested together with files, and the ids in the question.
        var described: (ids: Set<String>, apps: [String: InstalledApp], since: ContinuousClock.Instant)?
        /// Connections that were started in advance and not used yet.
        var readying: Readying?
        /// File connections that `roots` opened to test whether iOS allows them.
        var files: [DeviceRoot: ServiceConnection] = [:]
        /// The version of iOS; nil until a session with lockdownd was begun.
        var system: DeviceInformation?
    }

    /// Creates a session for an attached device. Does not communicate with the device yet, and never pairs.
    ///
    /// Throws `.noDevice` or `.muxUnavailable`.
    public init(
        _ device: DeviceDescription, options: DeviceSessionOptions = DeviceSessionOptions(),
        _ context: OperationContext = OperationContext()
    ) throws(TransportError) {
        self.device = device
        self.options = options
        handle = try options.trace.call("idevice.new", device.udid) { () throws(TransportError) in
            try LibraryCall.run(context, life: nil) { DeviceHandle.find(device) }
        }
    }

    /// Whether the device was unplugged after the session began.
    public var isGone: Bool { handle.life.isGone }

    /// Calls `handler` once when the device is unplugged, on the thread that detects it, or at once if it already
    /// was. Releasing the result unregisters the handler.
    package func whenGone(_ handler: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)? {
        handle.life.whenGone(handler)
    }

    /// Waits for `duration`. Throws `.cancelled`, `.timedOut` at the context's deadline, or `.deviceGone` as soon as
    /// the device is unplugged.
    public func wait(for duration: Duration, _ context: OperationContext = OperationContext())
        throws(TransportError)
    {
        var nothing: [pollfd] = []
        _ = try Waiting.wait(&nothing, context, life: handle.life, until: .now.advanced(by: duration))
    }

    /// Closes connections that are kept ready. The session and open files remain usable.
    public func close() {
        let given = kept.withLock { kept in
            defer { kept = Kept() }
            return kept
        }
        given.readying?.giveUp()
        withExtendedLifetime(given) {}
    }

    /// The error to show to the user: `.deviceGone` if the device was unplugged.
    func diagnosed(_ error: TransportError) -> TransportError {
        judged(error).about(device.udid)
    }

    /// Does the same, without making the device the subject.
    func judged(_ error: TransportError) -> TransportError {
        if error.code == .deviceGone { return error }
        var gone = TransportError.gone(handle.life)
        gone.underlying = error
        if isGone { return gone }
        guard [.connectionLost, .noDevice, .muxUnavailable, .tlsFailed, .ioFailure].contains(error.code)
        else {
            return error
        }
        // A broken connection may be detected shortly before usbmuxd reports the removal, so ask usbmuxd and wait for
        // it.
        let life = handle.life
        do throws(TransportError) {
            let entries = try LibraryCall.run(OperationContext(limit: .milliseconds(500)), life: life) {
                MuxDirectory.list()
            }
            if !entries.contains(where: { $0.handle == life.handle && $0.udid == life.udid }) {
                life.finish()
                return gone
            }
            var none: [pollfd] = []
            _ = try Waiting.wait(
                &none, OperationContext(), life: life, until: .now.advanced(by: .milliseconds(200)))
        } catch {
            if error.code == .deviceGone || error.code == .muxUnavailable { return gone }
        }
        return error
    }
}
