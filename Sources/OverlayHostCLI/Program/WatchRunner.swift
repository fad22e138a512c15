import Synchronization
import DeviceTransport
import Dispatch
import OverlayHost
import Platform

/// Implements `--watch`: runs a command line in a child process, and again for each new build of its overlay, until
/// interrupted. A build during a run cancels that run, as Ctrl-C would.
///
/// This process keeps what must survive a run: the simulated device, and the watch for new builds.
struct WatchRunner {
    private let command: any ProgramCommand
    private let words: [String]
    private let console: Console
    private let interruption: Interruption
    private let program: String

    /// Throws for a command that does not use an overlay, and for several devices.
    ///
    /// - Parameter words: the command line, without the program's name.
    init(
        _ command: any ProgramCommand, _ words: [String], _ console: Console, _ interruption: Interruption,
        _ paths: HostPaths
    ) throws(HostError) {
        guard (command as? any DeviceCommand)?.isAboutDevices != false else {
            throw HostError(
                .usage, "--watch waits for new builds of an overlay, but this command uses none.",
                hint: "Leave out --watch.")
        }
        guard !DeviceChoice(command.options.device).isMany else {
            throw HostError(
                .usage, "--watch works with one device only.", hint: "Choose one device with --device.")
        }
        (self.command, self.words, self.console, self.interruption) = (command, words, console, interruption)
        program = paths.workerProgram
    }

    /// Runs until interrupted, and returns the status of the last run.
    func run() throws(HostError) -> ExitStatus {
        var options = command.options
        let simulation = try Invocation.startSimulation(
            &options, isWanted: type(of: command).startsSimulation, console: console)
        defer { simulation?.stop() }
        let device = options.device == command.options.device ? nil : options.device
        var watch = (command as? any OverlayCommand)?.overlayFile.map { OverlayWatch(file: $0) }
        var (rebuilt, announced): (String?, String?)
        while true {
            let run = try CommandProcess(
                program: program, words: words, device: device, rebuiltFile: rebuilt,
                to: StandardStreams.isEmbedded.withLock { $0 } ? console : nil)
            let status = try attend(run, &watch)
            guard let watch, !interruption.cancellation.isCancelled, !run.hasLostOutput else { return status }
            if announced != watch.file {
                console.note("Waiting for new builds of \(TerminalText.sanitized(watch.file)).")
            }
            announced = watch.file
            guard watch.wait(interruption.cancellation) else { return status }
            rebuilt = watch.file
        }
    }

    /// Waits for the end of a run, and cancels it when there is a new build. Afterwards `watch` observes the overlay
    /// that served the run.
    private func attend(_ run: CommandProcess, _ watch: inout OverlayWatch?) throws(HostError) -> ExitStatus {
        let (ended, news) = (Cancellation(), DispatchSemaphore(value: 0))
        interruption.beforeEndingAtOnce { run.kill() }
        let registration = interruption.cancellation.whenCancelled { run.interrupt() }
        defer { withExtendedLifetime(registration) {} }
        let reader = SystemThread {
            run.readReports { news.signal() }
            ended.cancel()
            news.signal()
        }
        guard let reader else {
            run.interrupt()
            _ = run.wait()
            throw HostError(.hostIO, "The system cannot start a thread for --watch.")
        }
        // Only the first run determines which overlay serves.
        if watch == nil {
            news.wait()
            watch = Self.watch(run.report)
        }
        if watch?.waitForWhole(ended) == true { run.tellNewBuild() }
        reader.join()
        let (status, signal) = run.wait()
        if let signal { console.note("The command was ended by signal \(signal).") }
        if let report = run.report, report.file != watch?.file { watch = Self.watch(report) }
        return status
    }

    private static func watch(_ report: CommandProcess.Report?) -> OverlayWatch? {
        report.map { OverlayWatch(file: $0.file, loadedFile: $0.copy) }
    }
}
