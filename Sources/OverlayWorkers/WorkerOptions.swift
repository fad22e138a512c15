import DeviceTransport
import HostContract
import OverlayCalls
import OverlayLoading
import Platform
import Preferences

/// How overlays run in processes of their own.
public struct WorkerOptions: Sendable {
    /// A `program` that starts the executable of this process, also when another file has taken its place since.
    public static let runningProgram = HostPaths.runningProgram

    /// The program that is started as a worker; its `main` begins with `WorkerProgram.runIfAsked`.
    public var program: String
    /// Bytes of memory of its own that a worker may have.
    public var memory: UInt64
    /// Threads that a worker may have at once, from 2 on: the process's first one and that which calls the overlay are among them.
    public var threads: UInt32 = 256
    /// Whether overlays also run in workers that cannot be confined as far as the running kernel offers. Otherwise such an
    /// overlay is refused, with the code `notConfined`.
    public var allowsWeakerIsolation = false
    /// Hears, each time a worker starts that is confined less than the kernel offers and allowed to be, a sentence about it; any
    /// thread. Nil where nothing listens.
    public var warn: (@Sendable (String) -> Void)?
    /// How long an overlay may compute without calling its host, at most. Its own declaration can only lower this.
    public var silence: Duration
    /// How long an overlay may go on after its method was cancelled or its deadline has passed: the grace of the contract, and
    /// as much again.
    public var afterCancel: Duration
    /// How long a worker may take until it has described its overlay.
    public var start: Duration
    /// How many workers may follow each other for one instance.
    public var restarts: Int
    /// Ends workers that are still loading their overlay; nil: only their limits do.
    public var cancellation: Cancellation?
    /// Workers that were started ahead; nil: each is started when it is needed.
    public var reserve: SpareWorker?
    /// Whether a cancel ends every worker at once: for commands without a device that must be left consistent.
    public var endsAtOnce = false
    /// Hears each line that an overlay writes to its standard output or error, with the name of the overlay; any thread, which
    /// waits meanwhile. Nil: they are kept for the report of a breakdown only.
    public var words: (@Sendable (_ overlay: String, _ line: String) -> Void)?
    /// Whether rows are sent together, which is faster; if they are sent one by one, a sink can stop at once.
    package var gathersRows = true
    /// Whether the worker of an instance that has ended may serve the next one; asked each time. Nil: it ends. A host that
    /// allows it keeps each instance as long as the workers, because the overlay may have kept its services.
    package var servesAgain: (@Sendable () -> Bool)?
    /// Hears of workers; nil without a listener.
    package var observer: (any WorkerObserver)?
    /// How long a worker waits for an instance.
    package var longestIdle = Duration.seconds(30)
    /// Parts of the confinement that are left out, as on a kernel that lacks them: `SHIM_…` bits. For tests.
    var withheld: UInt32 = 0
    /// The newest version of Landlock that is used, as on a kernel that knows no newer one. For tests.
    var newestLandlock: UInt32 = .max

    /// Starts a worker for the first overlay that needs one, if there is a reserve. Returns at once.
    package func startReserve(temporary: String) { reserve?.fill(temporary: temporary, options: self) }

    /// The usual limits.
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

/// Where overlays run.
public enum OverlayIsolation: Sendable {
    /// In the process of the host, for debuggers.
    case inProcess
    /// Each in a process of its own.
    case worker(WorkerOptions)

    /// Loads overlays there.
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

/// Hears what happens to workers, for programs that judge overlays instead of using them. Called by any thread.
package protocol WorkerObserver: Sendable {
    /// A worker has started, as this process.
    func started(_ pid: Int32)
    /// It has ended, and all that it wrote has been read.
    func ended(_ pid: Int32)
    /// It broke down in `destroy`, which no call can say.
    func failed(_ failure: WorkerFailure)
    /// The overlay did what the contract does not allow, where no call can say so.
    func broke(_ breach: ContractBreach)
}
