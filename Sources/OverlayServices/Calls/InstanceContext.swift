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

/// The state of an instance that its services and sinks use: the running call, and values that outlive a call.
///
/// Unchecked: only the device thread uses `frame` and `loans`, which every entry point checks. All other properties
/// are constant or protected by a lock.
final class InstanceContext: @unchecked Sendable {
    let overlay: OverlayDescription
    /// The environment of the instance.
    let environment: InstanceEnvironment
    /// The overlay's small files for this device and app.
    let storage: OverlayStorage
    let running: RunningCall
    /// The sniffers that the overlay has registered.
    let sniffers: RegisteredSniffers
    /// The identity of the device thread.
    let deviceThread: pthread_t
    /// Signals workers that the running method should end.
    let cancelSignal: CancelSignal
    /// Kept as long as the cancel signal may be sent.
    private let alarms: [any AnyObject & Sendable]

    // Device thread only.
    var frame: CallFrame?
    let loans = FileLoans()
    /// The folder for files that `pull` fetches during the running call.
    var pullFolder: PullFolder?
    /// Copies of files that will be fetched next; nil unless a command has enabled staging.
    var staged: StagedCopies?

    init(_ environment: InstanceEnvironment, overlay: OverlayDescription, deviceThread: pthread_t) {
        self.overlay = overlay
        self.deviceThread = deviceThread
        self.environment = environment
        running = RunningCall(environment.cancellation, environment.roots.device)
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

    /// Whether the running method should end, because it was cancelled, exceeded its time limit, or lost its device.
    var shouldStop: Bool { running.shouldStop }

    /// Records the beginning of a call.
    func begin(_ call: String, until deadline: ContinuousClock.Instant?) {
        running.withLock { ($0.call, $0.deadline, $0.refused) = (call, deadline, nil) }
    }

    /// Records that a sink has refused data of the running method because of a breach. Callable from any thread.
    func refuse(_ breach: ContractBreach, in sink: String) {
        running.withLock { $0.refused = $0.refused ?? breach }
        misbehaved(breach, in: sink)
    }

    /// Why a sink has refused data of the running method; nil if none has.
    var refusedData: ContractBreach? { running.withLock { $0.refused } }

    /// Records the end of the running call.
    func end() {
        running.withLock { ($0.call, $0.deadline) = (nil, nil) }
    }

    /// The time for which the device can still be used after the overlay was told that its method should end
    /// (overlay_services.h).
    static let grace = Duration.seconds(5)

    /// The limits for an operation on the device in the running method.
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

    /// Records that the overlay was told about a cancellation or a deadline, and may now clean up on the device.
    func beginGrace() {
        guard isDeviceThread, let frame, frame.graceEnds == nil, !environment.roots.device.isGone else {
            return
        }
        frame.graceEnds = ContinuousClock.now + Self.grace
    }

    /// The context for the overlay's target at `create`.
    var creationContext: CreationContext {
        var context = CreationContext()
        context.cancelSignal = cancelSignal
        // Weak references to this object would make each of its uses slower.
        let (running, log, overlay) = (running, environment.loggers.overlay, overlay.id)
        context.isCancelled = { running.shouldStop }
        context.noteBreach = { Self.log($0, of: overlay, to: log, ["category": "worker"]) }
        return context
    }

    private static func log(
        _ breach: String, of overlay: String, to log: Logger, in place: String? = nil,
        _ metadata: Logger.Metadata = [:]
    ) {
        var metadata = metadata
        metadata["contract"] = "overlay"
        metadata["overlay"] = "\(overlay)"
        log.error(
            "The overlay \(overlay) broke the contract\(place.map { " in \($0)" } ?? ""): \(breach)",
            metadata: metadata)
    }

    /// Records a breach of the contract that cannot be reported in a result.
    func misbehaved(_ breach: ContractBreach, in place: String) {
        environment.observer?.broke(breach, in: place)
        Self.log(breach.message, of: overlay.id, to: environment.loggers.overlay, in: place)
    }
}

/// The running call of an instance, for use by any thread.
final class RunningCall: Sendable {
    struct State {
        var state: SessionState = .described
        /// The name of the running call: the method, or `create`.
        var call: String?
        var deadline: ContinuousClock.Instant?
        /// Why a sink has refused data, so that the result of the method is not complete.
        var refused: ContractBreach?
    }

    private let state = Mutex(State())
    private let cancellation: Cancellation
    private let device: any DeviceAccess

    init(_ cancellation: Cancellation, _ device: any DeviceAccess) {
        self.cancellation = cancellation
        self.device = device
    }

    func withLock<Result: Sendable>(_ body: (inout sending State) -> sending Result) -> sending Result {
        state.withLock(body)
    }

    /// Whether the call should end, because it was cancelled, exceeded its time limit, or lost its device.
    var shouldStop: Bool {
        if cancellation.isCancelled || device.isGone { return true }
        guard let deadline = withLock({ $0.deadline }) else { return false }
        return ContinuousClock.now >= deadline
    }
}

/// The host's part of an instance.
package struct InstanceEnvironment: Sendable {
    /// The loggers for the overlay and the calls to it.
    package var loggers: SessionLoggers
    /// The overlay's view of the preferences.
    package var preferences: PreferenceView
    /// Receives progress.
    package var progress: ProgressMerger
    /// Cancels methods.
    package var cancellation: Cancellation
    /// The roots of the device and app.
    package var roots: DeviceRoots
    /// The parent of the private folder for fetched files, unless a call specifies another one.
    package var temporaryFolder: String
    /// The folders for small files of overlays.
    package var storage: StorageFolders
    /// Observes the calls; nil without an observer.
    package var observer: (any BoundaryObserver)?
    /// Sends requests to servers for the overlay.
    package var web: any HTTPClient = CurlHTTPClient.publicAddresses
    /// The clock that determines when names that were read in advance expire.
    package var now: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Called with a call that is still running after a cancellation, on a separate thread. Not called after
    /// `destroy` has returned.
    package var unfinished: (@Sendable (_ call: String) -> Void)?

    /// Creates an environment from the values of a session.
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
