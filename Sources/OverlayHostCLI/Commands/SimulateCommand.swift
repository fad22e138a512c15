import JSON
import Platform
import ArgumentParser
import FoundationEssentials
import Glibc
import OverlayHost
import SimulatedDevice

/// `simulate`: runs simulated devices until interrupted.
struct SimulateCommand: ListCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run simulated devices until interrupted, and print their socket address.",
        usage: "overlayhost simulate [<dir> ...] [<options>]",
        discussion: """
            DIR holds the device: Media, Containers/BUNDLE-ID, and device.json with its settings, which \
            you can edit while the device runs. Without DIR, uses a temporary folder. A new device is a \
            current iPhone with Books, Kindle and a reader with file sharing; with --profile marvin, an \
            iPad on iOS 8 with Marvin. It starts with a sample library, or with the books given with \
            --book. With several folders, simulates several devices at one socket; each new device is \
            named after its folder.

            To use the device with any libimobiledevice program, set USBMUXD_SOCKET_ADDRESS as printed.
            """)

    @Argument(help: ArgumentHelp("The folder of each device.", valueName: "dir"))
    var folders: [String] = []
    @Option(
        help: ArgumentHelp(
            "An EPUB for the reader app of a new device, instead of the sample library. Repeatable.",
            valueName: "file"))
    var book: [String] = []
    @Option(help: "The device's name.") var name: String?
    @Option(help: "The iOS version.") var ios: String?
    @Flag(help: "Start with the device locked.") var locked = false
    @Option(help: "The pairing state: trusted, neverPaired, pairingPending or denied.") var trust: String?
    @Flag(help: "Turn off TLS.") var noTLS = false
    @Option(help: ArgumentHelp("The milliseconds that the device takes for each request.", valueName: "ms"))
    var latency: Double?
    @Option(help: ArgumentHelp("The round-trip time of the connection in milliseconds.", valueName: "ms"))
    var roundTrip: Double?
    @Option(help: ArgumentHelp("The bandwidth of the connection in bytes per second.", valueName: "bytes"))
    var bandwidth: Int?
    @Option(
        help: ArgumentHelp(
            "How Marvin behaves: \(MarvinBehaviour.named.map(\.name).joined(separator: ", ")).",
            valueName: "name"))
    var marvin: String?
    @Flag(help: "Print every file request on standard error.") var showRequests = false
    @OptionGroup var global: GlobalOptions<SimulateCommand>

    var items: [String] {
        get { folders }
        set { folders = newValue }
    }

    static let takes: Set<CommonOption> = [.profile]
    static var startsSimulation: Bool { false }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        var changes = SimulatedDeviceFile()
        changes.name = name
        changes.ios = ios
        changes.locked = locked ? true : nil
        changes.trust = trust
        changes.tls = noTLS ? false : nil
        changes.requestLatency = latency
        changes.linkRoundTrip = roundTrip
        changes.bandwidth = bandwidth
        changes.marvin = marvin
        // A missing book is reported before the device is touched.
        for file in book { try OpenContent(path: file).close() }
        let console = invocation.console
        var simulations: [Simulation] = []
        // The usbmuxd of the first device serves all.
        defer { for simulation in simulations.reversed() { simulation.stop() } }
        for folder in folders.isEmpty ? [nil] : folders.map({ $0 as String? }) {
            simulations.append(try start(folder, changes, besides: simulations.first))
        }
        // The watch must exist before the paths of the files are printed.
        let watch = try SettingsWatch(simulations)
        for simulation in simulations {
            announce(simulation, isFirst: simulation === simulations[0], console)
        }
        console.note("Press Ctrl-C to stop \(simulations.count == 1 ? "it" : "them").")
        while !invocation.cancellation.isCancelled {
            for simulation in watch.changed() {
                for note in simulation.reload() { console.note(TerminalText.sanitized(note)) }
            }
        }
        return .done
    }

    /// Starts the device in a folder, or in a temporary one. A new device gets the books of `--book`, or else the
    /// sample library.
    private func start(
        _ folder: String?, _ changes: SimulatedDeviceFile, besides first: Simulation?
    ) throws(HostError) -> Simulation {
        let url = folder.map { URL(fileURLWithPath: $0) }
        var changes = changes
        if let url, folders.count > 1 {
            guard name == nil else {
                throw HostError(
                    .usage, "--name can name one device only, but there are \(folders.count).",
                    hint: "Leave it out: new devices are named after their folders.")
            }
            if !FileManager.default.fileExists(atPath: url.appendingPathComponent("device.json").path) {
                changes.name = url.standardizedFileURL.lastPathComponent
            }
        }
        return try Simulation(
            folder: url, profile: global.profile,
            books: book.isEmpty ? nil : book.map { URL(fileURLWithPath: $0) }, changes: changes,
            besides: first)
    }

    /// Prints the address of a device and, with `--show-requests`, each request to it from now on.
    private func announce(_ simulation: Simulation, isFirst: Bool, _ console: Console) {
        let device = simulation.device
        if showRequests {
            let label = folders.count > 1 ? "\(TerminalText.sanitized(device.settings.name)): " : ""
            device.onFileRequest { request in
                console.diagnostics(
                    "\(label)\(request.number) \(request.operation) \(TerminalText.sanitized(request.path ?? "")) "
                        + "\(request.status.map { "\($0)" } ?? "no answer") \(request.bytesReceived) in, "
                        + "\(request.bytesSent) out\n")
            }
        }
        if isFirst || console.isJSON {
            console.element(
                .document([
                    "address": .string(simulation.usbmuxd.address), "udid": .string(device.settings.udid),
                    "folder": .string(device.folder.path), "settings": .string(simulation.settingsFile.path),
                ])
            ) { "USBMUXD_SOCKET_ADDRESS=\(simulation.usbmuxd.address)" }
        }
        for note in simulation.notes { console.note(TerminalText.sanitized(note)) }
        console.note(
            TerminalText.sanitized(
                "\(device.settings.name), iOS \(device.settings.iosVersion), in \(device.folder.path)."))
    }
}
