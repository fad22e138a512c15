import DeviceTransport
import Fetching
import Glibc
import HostContent
import HostContract
import Logging
import OverlayABI
import OverlayCalls
import OverlayLoading
import Synchronization

/// What one instance is doing: the running call, and what it keeps from call to call. Its services and sinks look here.
///
/// Unchecked: `frame` and `loans` are used by the device thread only, which every entry point checks; all else is
/// constant or behind a lock.
final class InstanceContext: @unchecked Sendable {
    /// The running method as other threads may ask for it.
    struct Running {
        var state: SessionState = .described
        var method: OverlayMethod?
        /// The name of what runs: the method, or `create`.
        var call: String?
        var deadline: ContinuousClock.Instant?
    }

    let overlay: OverlayDescription
    /// What it was made with.
    let environment: InstanceEnvironment
    /// The overlay's small files for this device and app.
    let storage: OverlayStorage
    let running = Mutex(Running())
    /// Sniffers that the overlay has registered.
    let sniffers: RegisteredSniffers
    /// The identity of the device thread.
    let deviceThread: pthread_t
    /// Tells workers that the running method should end.
    let cancelSignal: CancelSignal
    /// Kept as long as the cancel signal is to be sent.
    private let alarms: [any AnyObject & Sendable]

    // Device thread only.
    var frame: CallFrame?
    let loans = FileLoans()
    /// Receives what `pull` fetches during the running call.
    var pullFolder: PullFolder?
    /// Copies of files that are fetched next; nil unless a command wants them.
    var staged: StagedCopies?

    init(_ environment: InstanceEnvironment, overlay: OverlayDescription, deviceThread: pthread_t) {
        self.overlay = overlay
        self.deviceThread = deviceThread
        self.environment = environment
        let sniffers = RegisteredSniffers()
        let cancelSignal = CancelSignal { sniffers.entries.withLock { $0.removeAll() } }
        (self.sniffers, self.cancelSignal) = (sniffers, cancelSignal)
        alarms = [
            environment.cancellation.whenCancelled { cancelSignal.send() },
            environment.roots.device.whenGone { cancelSignal.send() },
        ].compactMap { $0 }
        storage = OverlayStorage(
            environment.storage, overlay: overlay.id, udid: environment.roots.device.device.udid,
            appID: environment.roots.app.bundleID)
    }

    /// Whether the caller is the device thread.
    var isDeviceThread: Bool {
        @inline(__always) get { pthread_equal(deviceThread, pthread_self()) != 0 }
    }

    /// Whether the running method should end: cancelled, late, or without its device.
    var shouldStop: Bool {
        if environment.cancellation.isCancelled || environment.roots.device.isGone { return true }
        guard let deadline = running.withLock({ $0.deadline }) else { return false }
        return ContinuousClock.now >= deadline
    }

    /// Notes what runs from now on.
    func begin(_ call: String, _ method: OverlayMethod?, until deadline: ContinuousClock.Instant?) {
        running.withLock { ($0.call, $0.method, $0.deadline) = (call, method, deadline) }
    }

    /// Notes that nothing runs any more.
    func end() {
        running.withLock { ($0.call, $0.method, $0.deadline) = (nil, nil, nil) }
    }

    /// How long the device can still be used after the overlay was told that its method should end
    /// (overlay_services.h).
    static let grace = Duration.seconds(5)

    /// Limits for an operation on the device within the running method.
    func operation(_ progress: (@Sendable (TransferProgress) -> Void)? = nil) -> OperationContext {
        var context = OperationContext(progress: progress)
        if let end = frame?.graceEnds {
            context.deadline = end
        } else {
            context.cancellation = environment.cancellation
            context.deadline = running.withLock { $0.deadline }
        }
        return context
    }

    /// Notes that the overlay knows about a cancel or deadline, so that from now on it may clean up on the device.
    func beginGrace() {
        guard isDeviceThread, let frame, frame.graceEnds == nil, !environment.roots.device.isGone else {
            return
        }
        frame.graceEnds = ContinuousClock.now + Self.grace
    }

    /// What the overlay's target gets along with `create`.
    var callContext: CallContext {
        var context = CallContext()
        context.cancelSignal = cancelSignal
        context.isCancelled = { [weak self] in self?.shouldStop ?? false }
        context.noteBreach = { [weak self] message in self?.log(breach: message, ["category": "worker"]) }
        return context
    }

    private func log(breach message: String, in place: String? = nil, _ metadata: Logger.Metadata = [:]) {
        var metadata = metadata
        metadata["contract"] = "overlay"
        metadata["overlay"] = "\(overlay.id)"
        environment.loggers.overlay.error(
            "The overlay \(overlay.id) broke the contract\(place.map { " in \($0)" } ?? ""): \(message)",
            metadata: metadata)
    }

    /// Records that the overlay broke the contract where no result can say so.
    func misbehaved(_ breach: ContractBreach, in place: String) {
        environment.observer?.broke(breach, in: place)
        log(breach: breach.message, in: place)
    }
}

/// What an instance needs from its host.
package struct InstanceEnvironment: Sendable {
    /// Hear the overlay and the calls into it.
    package var loggers: SessionLoggers
    /// What it may see of the preferences.
    package var preferences: PreferenceView
    /// Receives progress.
    package var progress: ProgressMerger
    /// Ends methods.
    package var cancellation: Cancellation
    /// The device and app it serves.
    package var roots: DeviceRoots
    /// Where the private folder for fetched files is made unless a call names another place.
    package var temporaryFolder: String
    /// Where the small files of overlays are kept.
    package var storage: StorageFolders
    /// Watches the boundary; nil without an observer.
    package var observer: (any BoundaryObserver)?
    /// What asks servers for the overlay.
    package var web: any HTTPClient = CurlHTTPClient.publicAddresses
    /// The clock by which names that were read ahead go out of date.
    package var now: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Called with a call that still runs when it is cancelled; on its own thread, and not once `destroy` has returned.
    package var unfinished: (@Sendable (_ call: String) -> Void)?

    /// What an instance needs of the session it belongs to.
    package init(
        loggers: SessionLoggers, preferences: PreferenceView, progress: ProgressMerger,
        cancellation: Cancellation,
        roots: DeviceRoots, temporaryFolder: String, storage: StorageFolders,
        observer: (any BoundaryObserver)? = nil
    ) {
        self.loggers = loggers
        self.preferences = preferences
        self.progress = progress
        self.cancellation = cancellation
        self.roots = roots
        self.temporaryFolder = temporaryFolder
        self.storage = storage
        self.observer = observer
    }
}

/// The sniffers that an overlay has registered.
final class RegisteredSniffers: Sendable {
    let entries = Mutex<[OverlaySniffer]>([])
}
