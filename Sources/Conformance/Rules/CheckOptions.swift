import DeviceTransport
import OverlayHost

/// The options of a check.
public struct CheckOptions: Sendable {
    /// The program to start as a worker; nil runs the overlay in this process, for debuggers.
    public var worker: String?
    /// Whether to check the overlay even in a worker that is less confined than the running kernel allows.
    public var allowsWeakerIsolation = false
    /// Called in that case; any thread.
    public var warn: (@Sendable (String) -> Void)?
    /// The preferences for the overlay; nil sets none.
    public var preferences: String?
    /// The folder of a prepared simulated device; nil makes a new device with the app and some books.
    public var device: String?
    /// The rules to check; others are left out of the report.
    public var rules: [ConformanceRule] = RuleCatalog.all
    /// How long the overlay may run without calling the host.
    public var silence = Duration.seconds(20)
    /// How long the overlay may continue after its method was cancelled.
    public var afterCancel = Duration.seconds(10)
    /// How many bytes of memory a worker may have.
    public var memory: UInt64 = 2 << 30
    /// The number of requests of a method at which a fault is tried.
    public var faultPoints = 8
    /// How often the same work is repeated to find leaks.
    public var repetitions = 16
    /// The folder for temporary files; nil means `TMPDIR`.
    public var temporaryFolder: String?

    /// Called with each line that the overlay writes to standard output or standard error, and the overlay's name;
    /// any thread.
    public var words: (@Sendable (_ overlay: String, _ line: String) -> Void)?
    /// Ends the check and its workers.
    public var cancellation = Cancellation()

    func checkCancelled() throws(HostError) {
        if cancellation.isCancelled { throw HostError(.cancelled, "The check was cancelled.") }
    }

    /// Options to check everything. Without a worker, the overlay runs in this process.
    public init(worker: String? = nil) { self.worker = worker }
}
