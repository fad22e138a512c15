import FoundationEssentials
import Glibc
import OverlayHost
import Platform
import SimulatedDevice

/// Checks whether an overlay follows the contract, on a simulated device.
///
/// ```swift
/// let report = try Checker(CheckOptions(), daemon: daemon).check("build/shelf.so")
/// print(report.verdict)
/// ```
///
/// The environment variable `USBMUXD_SOCKET_ADDRESS` of this process must name `daemon`, because libimobiledevice
/// uses that address. Blocks; any thread; several checks may run at once.
public struct Checker {
    private let options: CheckOptions
    private let daemon: SimulatedUsbmuxd

    /// Creates a checker that attaches its devices to `daemon`.
    public init(_ options: CheckOptions, daemon: SimulatedUsbmuxd) {
        self.options = options
        self.daemon = daemon
    }

    /// Checks the overlay in `file`. Throws errors that the overlay did not cause, such as a missing or untrusted
    /// file or a full disk.
    public func check(_ file: String) throws(HostError) -> ConformanceReport {
        let began = ContinuousClock.now
        let observations = ObservationLog()
        let workers = WorkerWatch(observations, memory: options.memory)
        let parent = options.temporaryFolder ?? FileManager.default.temporaryDirectory.path
        let held = try LockedFolder.made(in: parent)
        let folder = URL(fileURLWithPath: held.path)
        defer { held.remove() }
        let overlay = try LoadingScenario(
            file: file, discovery: discovery(folder, workers, parent), observations: observations
        ).run()
        if let overlay {
            defer {
                overlay.endSpareWorker()
                workers.waitForEnd()
            }
            try run(overlay, observations, workers, folder)
        } else {
            workers.waitForEnd()
        }
        try options.checkCancelled()
        let implemented = Set(
            (overlay?.implementedMethods ?? []).compactMap { OverlayMethod(rawValue: $0) })
        return ConformanceReport(
            file: file, descriptor: overlay?.descriptor,
            results: options.rules.map { observations.result($0, implemented: implemented) },
            obstacle: observations.obstacle, duration: ContinuousClock.now - began)
    }

    private func discovery(_ folder: URL, _ workers: WorkerWatch, _ temporary: String) -> OverlayDiscovery {
        // The check uses its own copies and stored descriptions, and does not use anything from an earlier run.
        let paths = HostPaths(
            environment: ["XDG_RUNTIME_DIR": folder.path, "TMPDIR": temporary, "HOME": folder.path],
            executable: nil)
        guard let program = options.worker else { return OverlayDiscovery(paths: paths) }
        var worker = WorkerOptions(
            program: program, memory: options.memory, silence: options.silence,
            afterCancel: options.afterCancel, start: options.silence, restarts: 0)
        worker.allowsWeakerIsolation = options.allowsWeakerIsolation
        worker.warn = options.warn
        worker.gathersRows = false
        worker.servesAgain = { workers.isSound }
        worker.observer = workers
        worker.cancellation = options.cancellation
        worker.endsAtOnce = true
        worker.words = options.words
        return OverlayDiscovery(paths: paths, isolation: .worker(worker))
    }

    private func run(
        _ overlay: LoadedOverlay, _ observations: ObservationLog, _ workers: WorkerWatch, _ folder: URL
    ) throws(HostError) {
        var wanted = Set(options.rules.flatMap(\.scenarios))
        guard wanted != [.loading] else { return }
        // The course shows which services the overlay uses, and creates the files that the app leaves on first use.
        wanted.insert(.course)
        let bench: CheckEnvironment
        do {
            bench = try CheckEnvironment(
                overlay, observations, workers, options, folder: folder, daemon: daemon)
        } catch {
            throw error as? HostError
                ?? HostError(
                    .failed, "Cannot use the simulated device: \(error)", subject: folder.path,
                    underlying: error)
        }
        defer { bench.close() }
        for scenario in Scenario.allCases where wanted.contains(scenario) {
            try options.checkCancelled()
            try run(scenario, bench)
            // If the normal course fails completely, all other scenarios would fail too.
            if scenario == .course, observations.obstacle != nil { return }
        }
    }

    private func run(_ scenario: Scenario, _ bench: CheckEnvironment) throws(HostError) {
        switch scenario {
        case .loading: return
        case .course: NormalUseScenario(trial: try Trial(bench, .course)).run()
        case .states: try StatesScenario(bench: bench).run()
        case .stopping: try EarlyStopScenario(bench: bench).run()
        case .withholding: try MissingServiceScenario(bench: bench).run()
        case .repetition: try RepetitionScenario(bench: bench).run()
        case .vanishing: try DeviceLossScenario(bench).run()
        case .severing: try DisconnectScenario(bench).run()
        case .filling: try DiskFullScenario(bench).run()
        case .cancelling: try CancellingScenario(bench).run()
        }
    }
}
