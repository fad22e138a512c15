import DeviceTransport
import Dispatch
import Glibc
import JSON
import OverlayHost
import Platform
import Synchronization

/// What all requests of one client share: the devices' threads, the sessions, and the writer of notifications. Any
/// thread.
final class ServingHost: Sendable {
    /// The severity of a `log` notification.
    enum LogLevel: String, CaseIterable, Comparable {
        case debug, info, notice, warning, error

        static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// A device's queue. Its thread, its sessions and the callers that add work to it keep it alive.
    private struct Lane {
        weak var queue: DeviceQueue?
    }

    private struct State {
        /// By UDID without differences of spelling.
        var lanes: [String: Lane] = [:]
        var sessions: [String: ServedSession] = [:]
        var opened = 0
        var logLevel = LogLevel.notice
        var idleLimit = Duration.seconds(300)
        var watch: ServedWatch?
        var hasCheckedOverlays = false
    }

    let setup: HostSetup
    /// The device for requests that do not name one; nil means the only one.
    let device: String?
    let writer: LineWriter
    /// Limits simultaneous requests to usbmuxd and devices. Requests in an open session take turns separately.
    let gate = RequestLimiter(places: 32)
    /// The console, for standard error.
    let console: Console
    /// Distinguishes the marks of this process from those of others.
    let name: String
    /// The folder that contains covers.
    let covers: String
    private let state = Mutex(State())

    init(_ setup: HostSetup, device: String?, _ console: Console, _ writer: LineWriter) {
        (self.setup, self.device) = (setup, device)
        (self.console, self.writer) = (console, writer)
        var random = SystemRandomNumberGenerator()
        name = Hex.text((0..<8).map { _ in UInt8.random(in: 0...255, using: &random) })
        covers = setup.paths.caches + "/covers"
    }

    /// Applies the client's configuration.
    func configure(logLevel: LogLevel?, idleLimit: Duration?) {
        state.withLock { state in
            state.logLevel = logLevel ?? state.logLevel
            state.idleLimit = idleLimit ?? state.idleLimit
        }
    }

    /// How long a session keeps its device without a request.
    var idleLimit: Duration { state.withLock { $0.idleLimit } }

    /// Sends a message to the user, on standard error and through the client.
    func note(_ level: LogLevel, _ message: String, for request: PendingRequest?) {
        console.note(TerminalText.sanitized(message))
        log(level, message, for: request)
    }

    /// Sends a message to the client; standard error has it already.
    func log(_ level: LogLevel, _ message: String, for request: PendingRequest?) {
        guard level >= state.withLock({ $0.logLevel }) else { return }
        writer.notify(
            "log",
            .document([
                "request": request?.id ?? .null, "level": .string(level.rawValue),
                "message": .string(message),
            ]))
    }

    // MARK: devices and sessions

    /// The queue of a device, however its UDID is spelled; created if there is none.
    func lane(_ udid: String) -> DeviceQueue {
        let key = UDID.plain(udid)
        return state.withLock { state in
            if let queue = state.lanes[key]?.queue { return queue }
            let queue = DeviceQueue { [weak self] in self?.letGoOfIdle(udid) }
            state.lanes = state.lanes.filter { $0.value.queue != nil }
            state.lanes[key] = Lane(queue: queue)
            return queue
        }
    }

    /// All sessions.
    var sessions: [ServedSession] { state.withLock { Array($0.sessions.values) } }

    /// The sessions of a device, sorted by name.
    func sessions(of udid: String) -> [ServedSession] {
        let key = UDID.plain(udid)
        return sessions.filter { UDID.plain($0.udid) == key }.sorted { $0.name < $1.name }
    }

    /// The session with this name. Throws `session_unknown`.
    func session(_ name: String) throws(HostError) -> ServedSession {
        guard let session = state.withLock({ $0.sessions[name] }) else {
            throw Self.unknown(name)
        }
        return session
    }

    /// The error for a session that has ended.
    static func unknown(_ name: String) -> HostError {
        HostError(
            .sessionUnknown, "Unknown session.", subject: name,
            hint: "The session was closed or ejected. Open a new one with 'open'.")
    }

    /// The session for an app on a device; created on first use. On the device's thread.
    func session(of app: ReaderApp, on udid: String) -> ServedSession {
        let lane = lane(udid)
        return state.withLock { state in
            if let session = state.sessions.values.first(where: {
                $0.udid == udid && $0.bundleID == app.bundleID
            }) {
                return session
            }
            state.opened += 1
            let session = ServedSession("s\(state.opened)", udid: udid, app, self, lane)
            state.sessions[session.name] = session
            return session
        }
    }

    /// Removes a session that has ended.
    func remove(_ session: ServedSession) { state.withLock { $0.sessions[session.name] = nil } }

    private func letGoOfIdle(_ udid: String) -> DispatchTime? {
        sessions(of: udid).compactMap { $0.letGoIfIdle() }.min()
    }

    /// A session request that reports to the slot's present request.
    func sessionRequest(
        _ udid: String, app: String?, _ slot: RequestSlot, _ cancellation: Cancellation
    ) throws(HostError) -> SessionRequest {
        try checkNamedOverlays()
        var request = try setup.sessionRequest(cancellation)
        (request.device, request.app) = (udid, app)
        request.progress = { slot.request?.report($0) }
        request.reported = { slot.request?.report($0, $1) }
        request.notice = { [self] in note(.notice, $0, for: slot.request) }
        request.warning = { [self] in note(.warning, $0, for: slot.request) }
        let level = state.withLock { $0.logLevel }
        let send: ClientLogHandler.Send = { [self] in log($0, $1, for: slot.request) }
        request.loggers.host = request.loggers.host.passing(level, send)
        // Warnings of overlays are shown in any case.
        request.loggers.overlay = request.loggers.overlay.showingWarnings(request.warning)
            .passing(level, send)
        return request
    }

    /// Throws if the folders of `--plugins` cannot be used; notes once which of their files are left out.
    private func checkNamedOverlays() throws(HostError) {
        guard !state.withLock({ $0.hasCheckedOverlays }) else { return }
        try setup.checkNamedOverlays()
        state.withLock { $0.hasCheckedOverlays = true }
    }

    // MARK: watching

    /// Starts the client's watch, and ends the one before.
    func take(_ watch: ServedWatch?) {
        let before = state.withLock { state in
            defer { state.watch = watch }
            return state.watch
        }
        before?.stop()
    }
}

/// Receives the notes and logs that do not belong to a request, which the host's setup prints.
struct ServingNotes: ProgressSink {
    let serving: ServingHost
    /// Texts are values in JSON, which are not wrapped.
    var isTerminal: Bool { false }

    func update(_ line: ProgressLine) {}

    func clear() {}

    func say(_ text: String) {
        serving.console.diagnostics(text)
        serving.log(.info, text.hasSuffix("\n") ? String(text.dropLast()) : text, for: nil)
    }
}
