import Archives
import DeviceTransport
import Fetching
import FoundationEssentials
import Glibc
import OverlayHost
import Platform
import SimulatedDevice

/// The environment of one run of a command: of the whole program, or for one device among several. Use from one thread
/// at a time.
final class Invocation {
    private(set) var options: RunOptions
    let console: Console
    /// Whether the command runs until it is interrupted.
    let isEndless: Bool
    /// Cancelled by Ctrl-C and, with `--watch`, by a new build.
    let cancellation: Cancellation
    /// The signals that cancel the whole program; nil for one device among several.
    let interruption: Interruption?
    /// The settings that all devices of a run share.
    let setup: HostSetup
    /// Shows the progress of the session.
    let progress: any ProgressSink
    /// Asks the user; nil asks at once, until the run is cancelled.
    private let asking: (any Question)?
    private var simulation: Simulation?
    /// The process that runs this command again for each new build; nil without `--watch`.
    private let watchingParent: WatchingParent?

    /// Starts the simulated device if one is requested and `startsSimulation` is set.
    init(
        _ options: RunOptions, isEndless: Bool = false, startsSimulation: Bool = true, console: Console,
        interruption: Interruption, paths: HostPaths, watchingParent: WatchingParent? = nil,
        begun: BegunWork = BegunWork()
    ) throws(HostError) {
        var options = options
        options.device = watchingParent?.device ?? options.device
        self.options = options
        self.watchingParent = watchingParent
        self.isEndless = isEndless
        self.interruption = interruption
        cancellation = interruption.cancellation
        setup = try HostSetup(options, paths, console, cancellation, begun: begun)
        var console = console
        console.names = setup.names
        self.console = console
        progress = ProgressDisplay(console: console, writesLines: options.verbose)
        setup.notePrinter.speak(above: progress)
        asking = nil
        // With --watch, the parent process has started the device.
        guard watchingParent == nil else { return }
        simulation = try Self.startSimulation(
            &self.options, isWanted: startsSimulation, console: self.console)
    }

    /// Starts the simulated device of the options and connects this process to it. Nil if none is requested, or if
    /// the device in the folder is already running; then the options select that device.
    static func startSimulation(
        _ options: inout RunOptions, isWanted: Bool, console: Console
    ) throws(HostError) -> Simulation? {
        guard options.simulated || options.simulatedFolder != nil else {
            guard options.profile == nil || !isWanted else {
                throw HostError(
                    .usage, "--profile is for simulated devices, but --simulated is missing.",
                    hint: "Add --simulated, or leave out --profile.")
            }
            return nil
        }
        // An empty variable in a script must not turn the current folder into a device.
        guard options.simulatedFolder != "" else {
            throw HostError(
                .usage, "--simulated= requires a folder.", hint: "Leave out the = to use a temporary folder.")
        }
        guard isWanted else { return nil }
        let folder = options.simulatedFolder.map { URL(fileURLWithPath: $0) }
        let simulation: Simulation
        do throws(HostError) {
            simulation = try Simulation(folder: folder, profile: options.profile)
        } catch {
            guard options.profile == nil, let folder,
                let running = RunningSimulation(folder.path, error)
            else { throw error }
            // Devices in other folders may use the same socket, but this command must not use them.
            try DeviceChoice(options.device).checkMeansOnly(.init(udid: running.udid, name: running.name))
            setenv("USBMUXD_SOCKET_ADDRESS", running.address, 1)
            options.device = running.udid
            console.note(
                "Using the device already running in \(TerminalText.sanitized(folder.path))."
            )
            return nil
        }
        // libusbmuxd reads its address from the environment at each connection. No other thread uses it yet.
        setenv("USBMUXD_SOCKET_ADDRESS", simulation.usbmuxd.address, 1)
        for note in simulation.notes { console.note(TerminalText.sanitized(note)) }
        return simulation
    }

    /// The invocation for one device among several.
    init(
        _ setup: HostSetup, device udid: String, console: Console, cancellation: Cancellation,
        progress: any ProgressSink, question: any Question
    ) {
        var options = setup.options
        options.device = udid
        isEndless = false
        self.options = options
        self.setup = setup
        self.console = console
        self.cancellation = cancellation
        interruption = nil
        self.progress = progress
        asking = question
        watchingParent = nil
    }

    /// Ends what the run started for all its devices, such as a simulated device.
    func finish() {
        progress.clear()
        setup.finish()
        simulation?.stop()
        simulation = nil
    }

    /// Asks the user.
    var question: any Question {
        asking ?? DirectQuestion(console: console, cancellation: cancellation)
    }

    /// The request from which a session is made.
    func request() throws(HostError) -> SessionRequest {
        let (progress, console) = (self.progress, self.console)
        var request = try setup.sessionRequest(cancellation)
        (request.device, request.app) = (options.device, options.app)
        request.progress = { update in
            progress.update(
                ProgressLine(
                    phase: update.phase, itemsDone: update.itemsDone, itemsTotal: update.itemsTotal,
                    bytesDone: update.bytesDone, bytesTotal: update.bytesTotal))
        }
        request.notice = { console.note(TerminalText.sanitized($0), above: progress) }
        request.unfinished = { [watchingParent] call in
            let isForBuild = watchingParent?.isSuperseded == true
            console.note(InterruptionText.waiting(for: call, isForBuild: isForBuild), above: progress)
        }
        if let watchingParent { request.overlayChosen = { watchingParent.report($0) } }
        // With --watch, a new build starts another run, except for commands that never end.
        let values = try setup.overlays().preferences
        let isDeveloping = try values.bool("development_mode")
        let isWatching = try values.bool("watch")
        request.watchesOverlay = options.watch ? isEndless : isDeveloping && isWatching
        return request
    }

    /// Begins to open the device and starts a worker; both continue while overlays are searched.
    func beginOpening() -> DeviceOpening {
        setup.startWorker()
        return setup.opening(options.device, cancellation)
    }

    /// Connects to the reader app, and prints notes for the user.
    ///
    /// - Parameters:
    ///   - found: an app on a device that is open; nil for the app and the device in the options.
    ///   - namesTarget: whether to print the app and the device first, because the command changes something there. They
    ///     are also printed if neither `--app`, `found` nor a preference names the app.
    func openSession(_ found: FoundReaderApp? = nil, namesTarget: Bool = false) throws(HostError)
        -> HostSession
    {
        let opening = found == nil ? beginOpening() : nil
        defer { opening?.giveUp() }
        if let file = watchingParent?.rebuiltFile { try setup.checkRebuilt(file) }
        try setup.checkNamedOverlays()
        var request = try request()
        (request.opening, request.found) = (opening, found)
        let session = try HostSession(request)
        if watchingParent?.rebuiltFile == session.overlayFile {
            console.note(TerminalText.sanitized(HostSession.taken(session.overlay)))
        }
        setup.names.note(session.device.udid, session.device.name)
        setup.known?.keep([session.device.name ?? session.device.udid], .devices)
        setup.known?.keep([session.app.name], .apps)
        for note in try setup.news(of: session) { console.note(TerminalText.sanitized(note)) }
        if namesTarget || session.isAppUnnamed, !console.isJSON {
            console.note(target(session), above: progress)
        }
        return session
    }
}

extension Invocation {
    /// A phrase such as `Kindle on Anna's iPhone`; if several devices are used, each note already names its device.
    private func target(_ session: HostSession) -> String {
        let app = TerminalText.sanitized(session.app.name)
        guard console.label == nil else { return app }
        return "\(app) on \(TerminalText.sanitized(session.device.name ?? session.device.udid))"
    }

    /// The reader apps for a command about all of them, on a device that stays open until the result is closed. Nil if
    /// the options name an app.
    func openApps() throws(HostError) -> DeviceApps? {
        guard options.app == nil else { return nil }
        let opening = beginOpening()
        defer { opening.giveUp() }
        var request = try request()
        request.opening = opening
        return try DeviceApps(request)
    }

    /// The most bytes taken from standard input: 256 MiB.
    private static let largestInput = 256 << 20

    /// Opens a local file, a URL, or standard input (`-`) for examination.
    ///
    /// - Parameter usesCache: whether to store responses of servers for the next time.
    func content(_ input: String, usesCache: Bool) throws(HostError) -> OpenContent {
        if input == "-" { return OpenContent(bytes: try Self.standardInput(), name: nil) }
        if OpenContent.isURL(input) || (Self.hasScheme(input) && !OpenContent.isFile(input)) {
            // If the cache cannot be opened, continue without it.
            let cache = usesCache ? CacheStore(directory: setup.paths.caches + "/web") : nil
            return try OpenContent(
                url: input, cache: cache, limits: OperationContext(cancellation: cancellation))
        }
        return try OpenContent(path: input)
    }

    /// Whether a text looks like a URL of any scheme.
    private static func hasScheme(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else { return false }
        return text[colon...].hasPrefix("://") && text[..<colon].allSatisfy { $0.isASCII && $0.isLetter }
    }

    private static func standardInput() throws(HostError) -> Data {
        var data = Data()
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(STDIN_FILENO, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw HostError(
                    .inputUnreadable, "Standard input cannot be read: \(systemText(errno)).",
                    subject: "-", native: .posix(errno))
            }
            if count == 0 { return data }
            data.append(contentsOf: piece[..<count])
            guard data.count <= largestInput else {
                throw HostError(
                    .invalidArgument, "Standard input has more than \(largestInput >> 20) MiB.",
                    subject: "-",
                    hint: "Save it to a file first.")
            }
        }
    }
}
