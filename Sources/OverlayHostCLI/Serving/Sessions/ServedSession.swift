import DeviceTransport
import Dispatch
import JSON
import OverlayHost
import Synchronization

/// A connection to the reader app of a session, and the request for which it is working. On the device's thread.
private final class WarmConnection {
    let host: HostSession
    let cancellation: Cancellation
    let slot: RequestSlot
    /// The preferences with which the overlay was opened.
    var stamp: FileVersion
    /// Observes whether the device is unplugged.
    var watchingEnd: (any AnyObject & Sendable)?

    init(_ host: HostSession, _ cancellation: Cancellation, _ slot: RequestSlot, _ stamp: FileVersion) {
        self.host = host
        self.cancellation = cancellation
        self.slot = slot
        self.stamp = stamp
    }
}

/// A reader app on a device that the client has opened. The first request that needs a connection makes it. The
/// connection ends when it has been idle for long, when it can no longer be trusted, or with the session.
///
/// `@unchecked`: mutable state is used only on the device's thread.
final class ServedSession: @unchecked Sendable {
    /// The outcome of a request.
    struct Outcome {
        var document: JSONValue
        /// Why it ended early, if the document contains the reason.
        var failure: HostError?

        /// Whether books may have changed: false if every book was left unchanged.
        var mayHaveChanged: Bool {
            guard failure == nil, let rows = document.object?["results"]?.elements else { return true }
            return rows.contains { $0.object?["status"]?.string != ItemStatus.skipped.rawValue }
        }

        init(_ document: JSONValue, _ failure: HostError? = nil) {
            self.document = document
            self.failure = failure
        }
    }

    /// The client's name for the session.
    let name: String
    let udid: String
    let bundleID: String
    let appName: String
    let serving: ServingHost
    /// The thread of the device.
    let lane: DeviceQueue
    /// The covers of its books.
    let covers: CoverFolder
    /// The id of the overlay that served it last.
    private(set) var overlay = ""
    /// Searches its books, as the preferences of the last connection allow.
    private(set) var finder: BookFinder?
    /// The change logs of what the client was told about the books, without and with annotations.
    private(set) var changeLogs: [Bool: BooklistChangeLog]
    private var connection: WarmConnection?
    /// The client's words for the app when it opened the session, with the preferences at that time.
    private var openings: [String: FileVersion] = [:]
    private var lastUse = ContinuousClock.now
    private var hasEnded = false

    init(_ name: String, udid: String, _ app: ReaderApp, _ serving: ServingHost, _ lane: DeviceQueue) {
        (self.name, self.udid, self.serving, self.lane) = (name, udid, serving, lane)
        (bundleID, appName) = (app.bundleID, app.name)
        covers = CoverFolder(in: serving.covers, udid: udid, bundleID: app.bundleID)
        changeLogs = [
            false: BooklistChangeLog(name: "\(serving.name)-\(name)"),
            true: BooklistChangeLog(name: "\(serving.name)-\(name)-a"),
        ]
    }

    // MARK: opening

    /// Opens the requested app on a device, or finds it open. Throws why it is not online.
    ///
    /// - Parameter wait: how long to wait for the app to come online.
    static func open(
        _ app: String?, on udid: String, wait: Duration, _ serving: ServingHost, _ request: PendingRequest
    ) throws(HostError) -> ServedSession {
        let stamp = FileVersion(serving.setup.preferences.file)
        for session in serving.sessions(of: udid) where session.isMeant(by: app, stamp) {
            guard session.usableConnection(stamp) != nil else { continue }
            do throws(HostError) {
                _ = try session.perform(request) { host throws(HostError) in
                    try host.checkPresence()
                    return Outcome(.null)
                }
                return session
            } catch {
                if request.cancellation.isCancelled { throw error }
                // The first answer says why it is not online, after waiting for it.
                session.disconnect(.lost, error, request)
            }
        }
        let (cancellation, slot) = (Cancellation(), RequestSlot(request))
        let registration = request.cancellation.whenCancelled { cancellation.cancel() }
        defer { withExtendedLifetime(registration) {} }
        var wanted = try serving.sessionRequest(udid, app: app, slot, cancellation)
        wanted.presenceLimit = wait
        let host = try HostSession(wanted)
        let session = serving.session(of: host.app, on: udid)
        session.adopt(WarmConnection(host, cancellation, slot, stamp))
        session.openings[app ?? ""] = stamp
        slot.request = nil
        return session
    }

    /// The present state of the selected app on a device. If this results in a session, it is kept.
    static func presence(
        of app: String?, on udid: String, _ serving: ServingHost, _ request: PendingRequest
    ) throws(HostError) -> ReaderPresence {
        let stamp = FileVersion(serving.setup.preferences.file)
        for session in serving.sessions(of: udid) where session.isMeant(by: app, stamp) {
            guard let connection = session.usableConnection(stamp) else { continue }
            do throws(HostError) {
                _ = try session.perform(request) { host throws(HostError) in
                    try host.checkPresence()
                    return Outcome(.null)
                }
                return ReaderPresence(of: connection.host)
            } catch {
                if request.cancellation.isCancelled { throw error }
                session.disconnect(.lost, error, request)
            }
        }
        let (cancellation, slot) = (Cancellation(), RequestSlot(request))
        let registration = request.cancellation.whenCancelled { cancellation.cancel() }
        defer { withExtendedLifetime(registration) {} }
        var wanted = try serving.sessionRequest(udid, app: app, slot, cancellation)
        wanted.notice = nil
        let presence = ReaderPresence(wanted)
        if let host = presence.session {
            let session = serving.session(of: host.app, on: udid)
            session.adopt(WarmConnection(host, cancellation, slot, stamp))
            session.openings[app ?? ""] = stamp
        }
        slot.request = nil
        return presence
    }

    /// Whether a client that names an app like this means this session: the words are the bundle id or the name, or
    /// the client opened the session with them and the preferences have not changed since.
    private func isMeant(by app: String?, _ stamp: FileVersion) -> Bool {
        if let app, app == bundleID || app.lowercased() == appName.lowercased() { return true }
        return openings[app ?? ""] == stamp
    }

    /// Whether there is a connection now.
    var isConnected: Bool { connection != nil }

    private func adopt(_ connection: WarmConnection) {
        self.connection?.host.close()
        self.connection = connection
        overlay = connection.host.overlay.id
        finder = connection.host.bookFinder
        lastUse = .now
        forgetBooks()
        connection.watchingEnd = connection.host.whenDeviceIsGone { [weak self, lane] in
            // The thread that notices this has other work to do. Without a thread, the next request notices it.
            lane.add(refused: { _ in }) { [weak self] in self?.noteUnplugged() }
        }
        notify(.opened, nil, connection.slot.request)
    }

    // MARK: working

    /// Lets `body` work with the reader app for a request, over the existing connection or a new one. An error that
    /// makes the connection doubtful ends it; the next request makes another.
    ///
    /// - Parameter repeats: whether `body` may run again if the late cancel of an earlier request has ended it.
    func perform(
        _ request: PendingRequest, repeats: Bool = true, _ body: (HostSession) throws(HostError) -> Outcome
    ) throws(HostError) -> JSONValue {
        while true {
            guard !hasEnded else { throw ServingHost.unknown(name) }
            try request.checkCancellation()
            let connection = try connect(request)
            connection.slot.request = request
            let cancellation = connection.cancellation
            var registration: Cancellation.Registration? = request.cancellation.whenCancelled {
                cancellation.cancel()
            }
            connection.host.forgetBooklist()
            let result: Result<Outcome, HostError>
            do throws(HostError) { result = .success(try body(connection.host)) } catch {
                result = .failure(error)
            }
            withExtendedLifetime(registration) {}
            registration = nil
            connection.slot.request = nil
            lastUse = .now
            let failure: HostError? =
                switch result {
                case .success(let outcome): outcome.failure
                case .failure(let error): error
                }
            // An overlay may have stored its own preference.
            connection.stamp = FileVersion(serving.setup.preferences.file)
            let isStopped = connection.cancellation.isCancelled
            if isStopped || connection.host.isDeviceGone || failure.map(Self.isGrave) == true {
                let isLost = connection.host.isDeviceGone || !isStopped
                disconnect(isLost ? .lost : .idle, isLost ? failure : nil, request)
            }
            // The cancel of an earlier request may have come too late for that request.
            if isStopped, !request.cancellation.isCancelled, failure?.code == .cancelled {
                if repeats { continue }
                // A change that was partly made must not be repeated with other books.
                throw HostError(
                    .busy, "The request was interrupted because an earlier one ended the session.",
                    hint: "List the books to see what was done, then try again.")
            }
            return try result.get().document
        }
    }

    /// Whether a connection should not be used again after an error.
    private static func isGrave(_ error: HostError) -> Bool {
        switch error.code {
        case .cancelled, .deviceGone, .timedOut, .overlayBroke, .contractBroken, .wrongState, .stopped,
            .deviceIO, .protocolError, .deviceLocked, .notPaired, .appUnavailable:
            true
        default: false
        }
    }

    private func connect(_ request: PendingRequest) throws(HostError) -> WarmConnection {
        let stamp = FileVersion(serving.setup.preferences.file)
        if let connection = usableConnection(stamp) { return connection }
        disconnect(.idle, nil, request)
        let (cancellation, slot) = (Cancellation(), RequestSlot(request))
        let registration = request.cancellation.whenCancelled { cancellation.cancel() }
        defer { withExtendedLifetime(registration) {} }
        var wanted = try serving.sessionRequest(udid, app: bundleID, slot, cancellation)
        // Only open waits for the app; here the app was available before.
        wanted.presenceLimit = .zero
        let host = try HostSession(wanted)
        let connection = WarmConnection(host, cancellation, slot, stamp)
        adopt(connection)
        return connection
    }

    /// The connection, if it exists and was made with these preferences.
    private func usableConnection(_ stamp: FileVersion) -> WarmConnection? {
        guard let connection, connection.stamp == stamp, !connection.cancellation.isCancelled,
            !connection.host.isDeviceGone
        else { return nil }
        return connection
    }

    /// Reads or changes the change log, which records what the client was told about the books.
    func withChangeLog<Value>(annotated: Bool, _ change: (inout BooklistChangeLog) -> Value) -> Value {
        change(&changeLogs[annotated, default: BooklistChangeLog(name: "")])
    }

    /// Records that the booklist may have changed.
    func forgetBooks() {
        for isAnnotated in changeLogs.keys { changeLogs[isAnnotated]?.forget() }
    }

    // MARK: ending

    /// The state of a session, as the client sees it.
    enum State: String {
        /// It has a connection.
        case opened
        /// It has no connection at present.
        case idle
        /// Its connection broke.
        case lost
        /// It has ended.
        case closed
    }

    /// Ends the session.
    ///
    /// - Parameter request: the request for which it ends; nil for none.
    func end(_ request: PendingRequest? = nil) {
        guard !hasEnded else { return }
        hasEnded = true
        serving.remove(self)
        disconnect(nil, nil)
        notify(.closed, nil, request)
    }

    /// Ends the connection.
    ///
    /// - Parameters:
    ///   - state: the new state of the session for the client; nil does not notify the client.
    ///   - request: the request for which it ends; nil for none.
    func disconnect(_ state: State?, _ error: HostError?, _ request: PendingRequest? = nil) {
        guard let connection else { return }
        self.connection = nil
        connection.watchingEnd = nil
        connection.host.close()
        if state == .lost { forgetBooks() }
        if let state { notify(state, error, request) }
    }

    /// Releases the device if it has been idle long enough; otherwise returns when to check again. Nil without a
    /// connection.
    func letGoIfIdle() -> DispatchTime? {
        guard connection != nil else { return nil }
        let left = (lastUse + serving.idleLimit) - .now
        guard left > .zero else {
            disconnect(.idle, nil)
            return nil
        }
        return .now() + .milliseconds(Int(left.components.seconds) * 1000 + 100)
    }

    private func noteUnplugged() {
        guard let connection, connection.host.isDeviceGone else { return }
        disconnect(.lost, HostError(.deviceGone, "The device was unplugged.", subject: udid))
    }

    private func notify(_ state: State, _ error: HostError?, _ request: PendingRequest? = nil) {
        serving.writer.notify(
            "connection",
            .document([
                "request": request?.id ?? .null, "session": .string(name),
                "device": .string(udid), "app": .string(appName), "state": .string(state.rawValue),
                "code": .optional(error?.code.rawValue), "message": .optional(error?.message),
            ]))
    }
}
