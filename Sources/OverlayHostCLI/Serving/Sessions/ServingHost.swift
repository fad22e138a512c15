import DeviceTransport
import Dispatch
import Glibc
import JSON
import OverlayHost
import Platform
import Synchronization

/// What all requests of one client share: the devices' threads, the sessions, and the writer of notifications. Any thread.
final class ServingHost: Sendable {
    /// The severity of a `log` notification.
    enum LogLevel: String, CaseIterable, Comparable {
        case debug, info, notice, warning, error

        static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    private struct State {
        var lanes: [String: DeviceQueue] = [:]
        var sessions: [String: ServedSession] = [:]
        var opened = 0
        var logLevel = LogLevel.notice
        var idleLimit = Duration.seconds(300)
        var watch: ServedWatch?
        var hasCheckedOverlays = false
    }

    let setup: HostSetup
    /// The device that is meant where a request names none; nil: the only one.
    let device: String?
    let writer: LineWriter
    /// Writes to standard error.
    let console: Console
    /// Tells this process's marks from those of others.
    let name: String
    /// The folder where covers are kept.
    let covers: String
    private let state = Mutex(State())

    init(_ setup: HostSetup, device: String?, _ console: Console, _ writer: LineWriter) {
        (self.setup, self.device) = (setup, device)
        (self.console, self.writer) = (console, writer)
        var random = SystemRandomNumberGenerator()
        name = Hex.text((0..<8).map { _ in UInt8.random(in: 0...255, using: &random) })
        covers = setup.paths.caches + "/covers"
    }

    /// Takes the client's wishes.
    func configure(logLevel: LogLevel?, idleLimit: Duration?) {
        state.withLock { state in
            state.logLevel = logLevel ?? state.logLevel
            state.idleLimit = idleLimit ?? state.idleLimit
        }
    }

    /// How long a session keeps its device without a request.
    var idleLimit: Duration { state.withLock { $0.idleLimit } }

    /// Says something to the person, on standard error and through the client.
    func note(_ level: LogLevel, _ message: String, for request: PendingRequest?) {
        console.note(TerminalText.sanitized(message))
        log(level, message, for: request)
    }

    /// Says something to the client; standard error has it already.
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

    /// The thread of a device; made at the first use.
    func lane(_ udid: String) -> DeviceQueue {
        state.withLock { state in
            if let lane = state.lanes[udid] { return lane }
            let lane = DeviceQueue(udid) { [weak self] in self?.letGoOfIdle(udid) }
            state.lanes[udid] = lane
            return lane
        }
    }

    /// All threads of devices.
    var lanes: [DeviceQueue] { state.withLock { Array($0.lanes.values) } }

    /// The sessions of a device, in the order of their names.
    func sessions(of udid: String) -> [ServedSession] {
        state.withLock { $0.sessions.values.filter { $0.udid == udid } }.sorted { $0.name < $1.name }
    }

    /// The session of this name. Throws `session_unknown`.
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

    /// The session for an app on a device; made at the first use. On the device's thread.
    func session(of app: ReaderApp, on udid: String) -> ServedSession {
        state.withLock { state in
            if let session = state.sessions.values.first(where: {
                $0.udid == udid && $0.bundleID == app.bundleID
            }) {
                return session
            }
            state.opened += 1
            let session = ServedSession("s\(state.opened)", udid: udid, app, self)
            state.sessions[session.name] = session
            return session
        }
    }

    /// Forgets a session that has ended.
    func remove(_ session: ServedSession) { state.withLock { $0.sessions[session.name] = nil } }

    private func letGoOfIdle(_ udid: String) -> DispatchTime? {
        sessions(of: udid).compactMap { $0.letGoIfIdle() }.min()
    }

    /// What a session is built from, for the request that a slot names.
    func sessionRequest(
        _ udid: String, app: String?, _ slot: RequestSlot, _ cancellation: Cancellation
    ) throws(HostError) -> SessionRequest {
        try checkNamedOverlays()
        var request = try setup.sessionRequest(cancellation)
        (request.device, request.app) = (udid, app)
        request.progress = { slot.request?.tell($0) }
        request.reported = { slot.request?.tell($0, $1) }
        request.notice = { [self] in note(.notice, $0, for: slot.request) }
        request.warning = { [self] in note(.warning, $0, for: slot.request) }
        return request
    }

    /// Throws if the folders of `--plugins` cannot serve; says once what of them is left out.
    private func checkNamedOverlays() throws(HostError) {
        guard !state.withLock({ $0.hasCheckedOverlays }) else { return }
        try setup.checkNamedOverlays()
        state.withLock { $0.hasCheckedOverlays = true }
    }

    // MARK: watching

    /// Takes the watch that the client wants, and ends the one before.
    func take(_ watch: ServedWatch?) {
        let before = state.withLock { state in
            defer { state.watch = watch }
            return state.watch
        }
        before?.stop()
    }
}

/// Hears the notes and logs that belong to no request, which the host's setup prints.
struct ServingNotes: ProgressSink {
    let serving: ServingHost

    func update(_ line: ProgressLine) {}

    func clear() {}

    func say(_ text: String) {
        serving.console.diagnostics(text)
        serving.log(.info, text.hasSuffix("\n") ? String(text.dropLast()) : text, for: nil)
    }
}

/// What tells whether the preferences file has changed.
struct PreferencesStamp: Equatable {
    private var parts: [Int] = []

    /// The file as it is now; a file that is not there has a stamp as well.
    init(_ file: String) {
        var status = stat()
        guard stat(file, &status) == 0 else { return }
        parts = [
            Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
        ]
    }
}
