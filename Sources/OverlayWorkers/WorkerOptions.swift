import DeviceTransport
import HostContract
import OverlayCalls
import OverlayLoading
import Platform
import Preferences

/// The options for overlays that run in separate processes.
///
/// ```swift
/// let paths = HostPaths.current()
/// var options = WorkerOptions(program: paths.workerProgram, memory: 512 << 20, silence: .seconds(120))
/// options.words = { overlay, line in print("\(overlay): \(line)") }
/// let discovery = OverlayDiscovery(paths: paths, isolation: .worker(options))
/// print(discovery.discover().overlays.count)
/// ```
public struct WorkerOptions: Sendable {
    /// The value of `program` that starts the executable of this process, even if another file has replaced it.
    public static let runningProgram = HostPaths.runningProgram

    /// The program to start as a worker. Its `main` must begin with `WorkerProgram.runIfAsked`.
    public var program: String
    /// The limit of a worker's private memory in bytes.
    public var memory: UInt64
    /// The largest number of threads of a worker, at least 2, including the first thread of the process and the
    /// thread that calls the overlay.
    public var threads: UInt32 = 256
    /// Whether overlays also run in workers that cannot be confined as far as the running kernel supports. Otherwise
    /// such an overlay is refused with the code `notConfined`.
    public var allowsWeakerIsolation = false
    /// Receives a sentence each time a worker starts that is confined less than the kernel supports, if this is
    /// allowed. Any thread. Nil if there is no listener.
    public var warn: (@Sendable (String) -> Void)?
    /// The longest time for which an overlay may compute without calling its host. An overlay can only declare a
    /// lower limit.
    public var silence: Duration
    /// The time for which an overlay may continue after its method was cancelled or its deadline has passed: twice
    /// the time that the contract allows.
    public var afterCancel: Duration
    /// The time limit for a worker to describe its overlay.
    public var start: Duration
    /// The number of times that a new worker may be started for an instance.
    public var restarts: Int
    /// Ends workers that are loading their overlay; nil if only their limits do.
    public var cancellation: Cancellation?
    /// A reserve of workers that were started in advance; nil to start each worker when it is needed.
    public var reserve: SpareWorker?
    /// Copies of this process that become workers, for `runningProgram`. If nil or used up, the program is started.
    public var standby: StandbyWorkers?
    /// Whether a cancellation ends every worker immediately: for commands that do not use a device whose state must
    /// remain consistent.
    public var endsAtOnce = false
    /// Receives each line that an overlay writes to its standard output or error, with the name of the overlay.
    /// Called on any thread, which waits until it returns. Nil to keep the lines only for reports of crashes.
    public var words: (@Sendable (_ overlay: String, _ line: String) -> Void)?
    /// Whether rows are sent together, which is faster. If they are sent one by one, a sink can stop immediately.
    package var gathersRows = true
    /// Whether the worker of an instance that has ended may be used for the next one; called each time. Nil if it
    /// ends. A host that allows this must keep each instance as long as the workers, because the overlay may still
    /// refer to its services.
    package var servesAgain: (@Sendable () -> Bool)?
    /// Observes workers; nil without a listener.
    package var observer: (any WorkerObserver)?
    /// The time for which a worker waits for an instance.
    package var longestIdle = Duration.seconds(30)
    /// Parts of the confinement that are omitted, as if the kernel did not support them: `SHIM_…` bits. For tests.
    var withheld: UInt32 = 0
    /// The newest version of Landlock that is used, as if the kernel did not support a newer one. For tests.
    var newestLandlock: UInt32 = .max

    /// Starts a worker in advance for the first overlay that needs one, if there is a reserve. Returns at once.
    package func startReserve(temporary: String) { reserve?.fill(temporary: temporary, options: self) }

    /// Creates options with the usual limits.
    public init(
        program: String, memory: UInt64 = 2 << 30, silence: Duration = .seconds(600),
        afterCancel: Duration = .seconds(10), start: Duration = .seconds(20), restarts: Int = 3
    ) {
        self.program = program
        self.memory = memory
        self.silence = silence
        self.afterCancel = afterCancel
        self.start = start
        self.restarts = restarts
    }
}

/// The place where overlays run.
///
/// ```swift
/// let paths = HostPaths.current()
/// let isDebugged = ProcessInfo.processInfo.environment["BOOKSHELF_DEBUG"] != nil
/// let isolation: OverlayIsolation = isDebugged ? .inProcess : .worker(WorkerOptions(program: paths.workerProgram))
/// let discovery = OverlayDiscovery(paths: paths, isolation: isolation)
/// print(discovery.discover().overlays.count)
/// ```
public enum OverlayIsolation: Sendable {
    /// In the process of the host, for debuggers.
    case inProcess
    /// Each overlay in a separate process.
    case worker(WorkerOptions)

    /// Loads overlays in this place.
    package var runner: any OverlayRunner {
        switch self {
        case .inProcess: InProcessRunner()
        case .worker(let options): WorkerRunner(options: options)
        }
    }
}

/// Runs each overlay in a worker.
private struct WorkerRunner: OverlayRunner {
    let options: WorkerOptions

    var longestAfterCancel: Duration? { options.afterCancel }

    func each(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) { SimultaneousRun.run(count, body) }

    func load(_ library: CopiedLibrary) throws(OverlayRefusal) -> LoadedOverlay {
        let overlay = WorkerOverlay(
            library: library.copy, of: library.file, temporary: library.temporary, options: options
        ) { () throws(OverlayRefusal) in try library.renew() }
        let tables = try overlay.describe()
        return LoadedOverlay(
            file: library.file, loadedFile: library.copy, descriptor: tables.descriptor, entry: tables.entry,
            methods: tables.methods, factory: overlay, endSpare: { overlay.endSpare() })
    }
}

/// Observes workers, for programs that check overlays instead of using them. Called on any thread.
package protocol WorkerObserver: Sendable {
    /// A worker has started with this process id.
    func started(_ pid: Int32)
    /// The worker has ended, and all its output has been read.
    func ended(_ pid: Int32)
    /// The worker crashed in `destroy`, which a call cannot report.
    func failed(_ failure: WorkerFailure)
    /// The overlay broke the contract in a way that a call cannot report.
    func broke(_ breach: ContractBreach)
}
