import DeviceTransport
import OverlayHost

/// What is checked, and how.
public struct CheckOptions: Sendable {
    /// The program that is started as a worker; nil: the overlay runs in this process, for debuggers.
    public var worker: String?
    /// Whether the overlay is also checked in a worker that is confined less than the running kernel allows.
    public var allowsWeakerIsolation = false
    /// Hears that it is; any thread.
    public var warn: (@Sendable (String) -> Void)?
    /// The preferences that the overlay sees; nil: none are set.
    public var preferences: String?
    /// The folder of a simulated device that was prepared for the overlay; nil: a new device with its app and some books.
    public var device: String?
    /// The rules that are checked; others are left out of the report.
    public var rules: [ConformanceRule] = RuleCatalog.all
    /// How long the overlay may run without calling the host.
    public var silence = Duration.seconds(20)
    /// How long it may continue after its method was cancelled.
    public var afterCancel = Duration.seconds(10)
    /// Bytes of memory that a worker may have.
    public var memory: UInt64 = 2 << 30
    /// How many requests of a method a fault is tried at.
    public var faultPoints = 8
    /// How often the same work is repeated to find leaks.
    public var repetitions = 16
    /// Where temporary files go; nil: `TMPDIR`.
    public var temporaryFolder: String?

    /// Called with each line that the overlay writes to its standard output or error, with its name; any thread.
    public var words: (@Sendable (_ overlay: String, _ line: String) -> Void)?
    /// Ends the check, and the workers with it.
    public var cancellation = Cancellation()

    func checkCancelled() throws(HostError) {
        if cancellation.isCancelled { throw HostError(.cancelled, "The check was cancelled.") }
    }

    /// Everything, with an overlay in this process.
    public init(worker: String? = nil) { self.worker = worker }
}
