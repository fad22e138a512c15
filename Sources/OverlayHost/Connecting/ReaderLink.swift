import Logging
import OverlayABI
import DeviceTransport
import OverlayBridge

/// A target with a running instance. Waits for the reader app, and calls the instance as the state of the connection
/// requires.
///
/// For use by one thread at a time.
final class ReaderLink {
    private(set) var target: ReaderTarget
    let roots: DeviceRoots
    private(set) var instance: OverlayInstance
    let progress: ProgressMerger
    private let request: SessionRequest
    private let loggers: SessionLoggers
    private let notice: (@Sendable (String) -> Void)?
    private(set) var connection: ReaderConnection
    /// Detects new builds of the overlay, if enabled.
    private var overlayWatch: OverlayWatch?

    /// The interval between checks of a reader app that is not ready.
    static let pollInterval = Duration.milliseconds(500)
    /// The time limit for `post_yank_cleanup` (overlay_methods.h).
    static let cleanupLimit = Duration.seconds(1)

    private let sharesDevice: Bool

    /// Creates and initializes the instance. Releases everything if it throws. Closing the link closes the device,
    /// unless the link `sharesDevice` with its caller.
    init(_ target: ReaderTarget, _ request: SessionRequest, sharesDevice: Bool = false) throws(HostError) {
        self.target = target
        self.request = request
        self.sharesDevice = sharesDevice
        loggers = request.loggers
        notice = request.notice
        progress = ProgressMerger(request.progress)
        connection = ReaderConnection(udid: target.device.device.udid)
        roots = DeviceRoots(
            device: target.device, app: target.app, information: target.information, access: target.access)
        instance = try Self.instance(of: target.overlay, request, progress, roots)
        request.overlayChosen?(target.overlay)
        _ = connection.observe(.devices([target.device.device.udid]))
        do throws(HostError) {
            try instance.create()
            try instance.call(.initialize)
        } catch {
            close()
            throw error
        }
    }

    private static func instance(
        of overlay: LoadedOverlay, _ request: SessionRequest, _ progress: ProgressMerger, _ roots: DeviceRoots
    ) throws(HostError) -> OverlayInstance {
        var preferences = request.preferences
        preferences.schema = request.overlays.schema(using: overlay.descriptor)
        let values = try preferences.read()
        // Check values here, because a refusal by the overlay would look like its bug.
        for option in overlay.descriptor.options { _ = try values.value(option.key) }
        let view = PreferenceView(overlay: overlay.descriptor, preferences: preferences, values: values)
        var loggers = request.loggers
        loggers.overlay = loggers.overlay.showingWarnings(request.warning ?? request.notice)
        var environment = InstanceEnvironment(
            loggers: loggers, preferences: view, progress: progress,
            cancellation: request.cancellation, roots: roots, temporaryFolder: request.paths.temporary,
            storage: StorageFolders(request.paths))
        environment.unfinished = request.unfinished.map { report in
            let (name, limit) = (overlay.descriptor.id, request.discovery.longestAfterCancel)
            return { call in report(UnfinishedCall(overlay: name, method: call, limit: limit)) }
        }
        return try OverlayInstance(overlay, environment)
    }

    /// Loads the overlay's file again if there is a new build and `SessionRequest.watchesOverlay` is set. Returns nil
    /// if there is no new build, otherwise whether it is now used, and a message.
    func reloadIfChanged() -> (isTaken: Bool, message: String)? {
        guard request.watchesOverlay else { return nil }
        let watch = overlayWatch ?? OverlayWatch(target.overlay)
        overlayWatch = watch
        guard watch.hasChanged, watch.wait(request.cancellation, within: OverlayWatch.patience * 2) else {
            return nil
        }
        do throws(HostError) {
            try reload()
            return (true, Self.taken(target.overlay.descriptor))
        } catch {
            return (false, "Cannot use the new build; keeping the previous one. \(error)")
        }
    }

    /// The message after a new build was loaded.
    static func taken(_ overlay: OverlayDescription) -> String {
        "Now using the new build of \(overlay.name) \(overlay.version)."
    }

    /// Loads the overlay's file again and switches to the new build. Throws an error if the new build cannot be used.
    /// The previous build then continues unchanged.
    func reload() throws(HostError) {
        let overlay = try request.discovery.load(target.overlay.file)
        let fresh = try Self.instance(of: overlay, request, progress, roots)
        let answer: Presence
        do throws(HostError) {
            try fresh.create()
            try fresh.call(.initialize)
            answer = try fresh.canHandle(fingerprint)
        } catch {
            fresh.destroy()
            throw error
        }
        let old = instance
        instance = fresh
        target.overlay = overlay
        connection = ReaderConnection(udid: target.device.device.udid)
        _ = connection.observe(.devices([target.device.device.udid]))
        if let error = old.destroy() { loggers.host.warning("stopping the previous build: \(error)") }
        try act(connection.observe(.answer(answer)))
    }

    /// Checks the reader app once. Throws an error if checking again is useless.
    func checkApp() throws(HostError) {
        do throws(HostError) {
            let answer = try instance.canHandle(fingerprint)
            try act(connection.observe(.answer(answer)))
        } catch {
            if error.code == .deviceGone || target.device.isGone {
                try act(connection.observe(.devices([])))
                throw error
            }
            switch error.code {
            case .appUnavailable, .busy, .timedOut:
                try act(
                    connection.observe(
                        .answer(
                            Presence.notNow(.appOffline, error.message, hint: error.hint))))
            case .deviceLocked, .notPaired:
                try act(connection.observe(.unreachable(message: error.message, hint: error.hint)))
                throw error
            default: throw error
            }
        }
    }

    /// Waits until the reader app is ready. Throws an error if it does not become ready.
    func waitForReader(_ limit: Duration) throws(HostError) {
        if target.overlay.methods.can_handle == nil, !target.access.granted.contains(where: { $0 != .media })
        {
            throw accessRefused()
        }
        let deadline = ContinuousClock.now.advanced(by: limit)
        var isWaiting = false
        while true {
            try request.checkCancellation()
            try checkApp()
            if connection.state == .online { return }
            let left = deadline - ContinuousClock.now
            guard connection.mayComeOnline, left > .zero else { throw whyNot() }
            if !isWaiting { tellWaiting(limit) }
            isWaiting = true
            progress.begin("Waiting for \(target.app.name)")
            let context = OperationContext(cancellation: request.cancellation)
            let pause = min(left, Self.pollInterval)
            do throws(HostError) {
                try transporting { () throws(TransportError) in try target.device.wait(for: pause, context) }
            } catch {
                if error.code == .deviceGone { try act(connection.observe(.devices([]))) }
                throw error
            }
        }
    }

    /// Shows a message at the beginning of the wait, because no further message appears until its end.
    private func tellWaiting(_ limit: Duration) {
        let (name, why) = (target.app.name, connection.message)
        let seconds = max(1, limit.components.seconds)
        notice?(
            (why.map { $0 + " " } ?? "") + "Waiting up to \(seconds) seconds for \(name). \(hint)")
    }

    /// Handles the device as unplugged.
    func leave() {
        do throws(HostError) {
            try act(connection.observe(.devices([])))
        } catch {
            loggers.host.warning("cleaning up after the unplugged device: \(error)")
        }
    }

    /// Updates the connection after a command, and cleans up if the device was unplugged.
    func settle(after error: HostError?) {
        if error?.code == .deviceGone || target.device.isGone { leave() }
    }

    /// Ends the connection at the user's request.
    func eject() throws(HostError) {
        try instance.call(.eject)
        _ = connection.observe(.ejected)
    }

    /// Ends everything, in any state.
    func close() {
        if let error = instance.destroy() { loggers.host.warning("stopping the overlay: \(error)") }
        roots.close()
        if !sharesDevice { target.device.close() }
    }

    private func act(_ action: ReaderConnection.Action?) throws(HostError) {
        switch action {
        case .attach: try instance.note(.attached)
        case .release: try instance.note(.released)
        case .yank:
            try instance.note(.yanked)
            try instance.call(.postYankCleanup, within: Self.cleanupLimit)
        case .cleanUp: try instance.call(.postYankCleanup, within: Self.cleanupLimit)
        case nil: break
        }
    }

    private var fingerprint: Fingerprint {
        Fingerprint.appleDevice(udid: target.device.device.udid, product: target.information.deviceClass)
    }

    // MARK: why not

    /// A hint on how to make the reader app ready.
    private var hint: String {
        if let hint = connection.hint { return hint }
        return switch connection.state {
        case .notInConnectionMode:
            "Turn on the connection to the computer in \(target.app.name) on the device."
        default: "Open \(target.app.name) on the device and turn on its connection to the computer."
        }
    }

    /// The error that explains why the reader app cannot be used.
    func whyNot() -> HostError {
        let name = target.app.name
        switch connection.state {
        case .accessRefused: return accessRefused()
        case .appMissing:
            return HostError(
                .appNotInstalled, connection.message ?? "The reader app is not on the device.", subject: name,
                hint: connection.hint ?? "Install it on the device, or attach the device that has it.")
        case .notInConnectionMode:
            return HostError(
                .appUnavailable, connection.message ?? "The reader app is not in connection mode.",
                subject: name,
                hint: hint, isRetryable: true)
        case .notServed:
            return HostError(
                .notSupported, connection.message ?? "The overlay cannot serve this device.", subject: name,
                hint: connection.hint)
        default:
            return HostError(
                .appUnavailable, connection.message ?? "The reader app is not listening.", subject: name,
                hint: hint,
                isRetryable: true)
        }
    }

    /// The error for refused access, with the message of the transport, which depends on the iOS version.
    private func accessRefused() -> HostError {
        let refusal = target.access.refusalOfAppFiles
        let cause = refusal.map { HostError($0).code }
        if let refusal, cause == .deviceLocked || cause == .notPaired { return HostError(refusal) }
        return HostError(
            .accessRefused,
            connection.message ?? refusal.map { HostError($0).message }
                ?? "iOS does not allow access to the reader app's files.",
            subject: target.app.name, hint: connection.hint ?? refusal?.hint,
            native: refusal.flatMap { HostError($0).native }, underlying: refusal)
    }
}
