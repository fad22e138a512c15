import DeviceTransport
import Dispatch
import JSON
import OverlayHost
import Synchronization

/// A connection to the reader app of a session, and the request it works for. On the device's thread.
private final class WarmConnection {
    let host: HostSession
    let cancellation: Cancellation
    let slot: RequestSlot
    /// The preferences that the overlay was given.
    var stamp: PreferencesStamp
    /// Hears that the device was unplugged.
    var watchingEnd: (any AnyObject & Sendable)?

    init(_ host: HostSession, _ cancellation: Cancellation, _ slot: RequestSlot, _ stamp: PreferencesStamp) {
        self.host = host
        self.cancellation = cancellation
        self.slot = slot
        self.stamp = stamp
    }
}

/// A reader app on a device, as the client has opened it. Its connection comes and goes: it is made by the first request that
/// needs it, and ends when it has been idle for long, when it cannot be trusted any more, or with the session.
///
/// `@unchecked`: what changes is used on the thread of the device's lane only.
final class ServedSession: @unchecked Sendable {
    /// What a request came to.
    struct Outcome {
        var document: JSONValue
        /// Why it ended early, if the document says so.
        var failure: HostError?

        /// Whether books may be other than before: not where all were left alone.
        var mayHaveChanged: Bool {
            guard failure == nil, let rows = document.object?["results"]?.elements else { return true }
            return rows.contains { $0.object?["status"]?.string != ItemStatus.skipped.rawValue }
        }

        init(_ document: JSONValue, _ failure: HostError? = nil) {
            self.document = document
            self.failure = failure
        }
    }

    /// The client's word for it.
    let name: String
    let udid: String
    let bundleID: String
    let appName: String
    let serving: ServingHost
    /// The covers of its books.
    let covers: CoverFolder
    /// The id of the overlay that served it last.
    private(set) var overlay = ""
    /// Searches its books, as the preferences of the last connection allow.
    private(set) var finder: BookFinder?
    /// What the client was told of the books, without and with annotations.
    private(set) var ledgers: [Bool: BooklistChangeLog]
    private var connection: WarmConnection?
    /// What the client called the app when it opened the session, by the preferences that counted then.
    private var openings: [String: PreferencesStamp] = [:]
    private var lastUse = ContinuousClock.now
    private var hasEnded = false

    init(_ name: String, udid: String, _ app: ReaderApp, _ serving: ServingHost) {
        (self.name, self.udid, self.serving) = (name, udid, serving)
        (bundleID, appName) = (app.bundleID, app.name)
        covers = CoverFolder(in: serving.covers, udid: udid, bundleID: app.bundleID)
        ledgers = [
            false: BooklistChangeLog(name: "\(serving.name)-\(name)"),
            true: BooklistChangeLog(name: "\(serving.name)-\(name)-a"),
        ]
    }

    // MARK: opening

    /// Opens the app that is meant on a device, or finds it open. Throws why it is not online.
    ///
    /// - Parameter wait: how long to wait for it; nil: until it can be told what it says now.
    static func open(
        _ app: String?, on udid: String, wait: Duration, _ serving: ServingHost, _ request: PendingRequest
    ) throws(HostError) -> ServedSession {
        let stamp = PreferencesStamp(serving.setup.preferences.file)
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

    /// The current state of the chosen app on a device. If a session results, it is kept.
    static func presence(
        of app: String?, on udid: String, _ serving: ServingHost, _ request: PendingRequest
    ) throws(HostError) -> ReaderPresence {
        let stamp = PreferencesStamp(serving.setup.preferences.file)
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

    /// Whether a client that names an app so means this one, by preferences that have not changed since it was found so.
    private func isMeant(by app: String?, _ stamp: PreferencesStamp) -> Bool {
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
        let lane = serving.lane(udid)
        connection.watchingEnd = connection.host.whenDeviceIsGone { [weak self] in
            // The thread that notices it has more to do.
            lane.add { [weak self] in self?.noteUnplugged() }
        }
        tell(.opened, nil, connection.slot.request)
    }

    // MARK: working

    /// Has `body` work with the reader app for a request, over the connection that is there or a new one. What makes the
    /// connection doubtful ends it; the next request makes another.
    ///
    /// - Parameter repeats: whether `body` may run again when the late cancel of an earlier request has ended it.
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
            connection.stamp = PreferencesStamp(serving.setup.preferences.file)
            let isStopped = connection.cancellation.isCancelled
            if isStopped || connection.host.isDeviceGone || failure.map(Self.isGrave) == true {
                let isLost = connection.host.isDeviceGone || !isStopped
                disconnect(isLost ? .lost : .idle, isLost ? failure : nil, request)
            }
            // The cancel of an earlier request may have come too late for it.
            if isStopped, !request.cancellation.isCancelled, failure?.code == .cancelled {
                if repeats { continue }
                // What a change has done already must not be done to other books.
                throw HostError(
                    .busy, "The request was interrupted because an earlier one ended the session.",
                    hint: "List the books to see what was done, then try again.")
            }
            return try result.get().document
        }
    }

    /// Whether a connection should not be used after an error.
    private static func isGrave(_ error: HostError) -> Bool {
        switch error.code {
        case .cancelled, .deviceGone, .timedOut, .overlayBroke, .contractBroken, .wrongState, .stopped,
            .deviceIO, .protocolError, .deviceLocked, .notPaired, .appUnavailable:
            true
        default: false
        }
    }

    private func connect(_ request: PendingRequest) throws(HostError) -> WarmConnection {
        let stamp = PreferencesStamp(serving.setup.preferences.file)
        if let connection = usableConnection(stamp) { return connection }
        disconnect(.idle, nil, request)
        let (cancellation, slot) = (Cancellation(), RequestSlot(request))
        let registration = request.cancellation.whenCancelled { cancellation.cancel() }
        defer { withExtendedLifetime(registration) {} }
        var wanted = try serving.sessionRequest(udid, app: bundleID, slot, cancellation)
        // Only open waits for the app: here it was there before.
        wanted.presenceLimit = .zero
        let host = try HostSession(wanted)
        let connection = WarmConnection(host, cancellation, slot, stamp)
        adopt(connection)
        return connection
    }

    /// The connection, if it is there and was made by these preferences.
    private func usableConnection(_ stamp: PreferencesStamp) -> WarmConnection? {
        guard let connection, connection.stamp == stamp, !connection.cancellation.isCancelled,
            !connection.host.isDeviceGone
        else { return nil }
        return connection
    }

    /// Changes what the client was told of the books.
    func changeLedger<Value>(annotated: Bool, _ change: (inout BooklistChangeLog) -> Value) -> Value {
        change(&ledgers[annotated, default: BooklistChangeLog(name: "")])
    }

    /// Notes that the booklist may have changed.
    func forgetBooks() {
        for isAnnotated in ledgers.keys { ledgers[isAnnotated]?.forget() }
    }

    // MARK: ending

    /// How a session stands for the client.
    enum State: String {
        /// It has a connection.
        case opened
        /// It has none for the time being.
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
        tell(.closed, nil, request)
    }

    /// Ends the connection.
    ///
    /// - Parameters:
    ///   - state: what the client is told about the session; nil: nothing.
    ///   - request: the request for which it ends; nil for none.
    func disconnect(_ state: State?, _ error: HostError?, _ request: PendingRequest? = nil) {
        guard let connection else { return }
        self.connection = nil
        connection.watchingEnd = nil
        connection.host.close()
        if state == .lost { forgetBooks() }
        if let state { tell(state, error, request) }
    }

    /// Lets go of the device if that is time; otherwise says when it is. Nil without a connection.
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

    private func tell(_ state: State, _ error: HostError?, _ request: PendingRequest? = nil) {
        serving.writer.notify(
            "connection",
            .document([
                "request": request?.id ?? .null, "session": .string(name),
                "device": .string(udid), "app": .string(appName), "state": .string(state.rawValue),
                "code": .optional(error?.code.rawValue), "message": .optional(error?.message),
            ]))
    }
}
