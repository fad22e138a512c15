import ArgumentParser
import Foundation
import OverlayHost
import SimulatedDevice

/// `simulate`: runs a simulated device until interrupted.
struct SimulateCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run a simulated device until interrupted; print the address of its socket.",
        usage: "overlayhost simulate [<dir>] [<options>]",
        discussion: """
            DIR holds all of the device: Media, Containers/BUNDLE-ID, and device.json with its settings, which may be \
            edited while it runs. Without DIR a temporary folder with a ready-made library is used.

            Any libimobiledevice program reaches the device when USBMUXD_SOCKET_ADDRESS is set as printed.
            """)

    static let unusedOptions: Set = ["--device", "--app"]

    @Argument(help: ArgumentHelp("The folder of the device.", valueName: "dir")) var folder: String?
    @Option(
        help: ArgumentHelp(
            "An EPUB for Marvin's library, if the device is new. Repeatable.", valueName: "file"))
    var book: [String] = []
    @Option(help: "The device's name.") var name: String?
    @Option(help: "The version of iOS.") var ios: String?
    @Flag(help: "The passcode screen is up.") var locked = false
    @Option(help: "trusted, neverPaired, pairingPending or denied.") var trust: String?
    @Flag(help: "Speak without TLS.") var noTLS = false
    @Option(help: ArgumentHelp("Milliseconds the device spends on each request.", valueName: "ms"))
    var latency: Double?
    @Option(help: ArgumentHelp("Milliseconds of a round trip over the link.", valueName: "ms"))
    var roundTrip: Double?
    @Option(help: ArgumentHelp("Bytes per second over the link.", valueName: "bytes")) var bandwidth: Int?
    @Option(
        help: ArgumentHelp(
            "How Marvin behaves: \(MarvinBehaviour.named.map(\.name).joined(separator: ", ")).",
            valueName: "name"))
    var marvin: String?
    @Flag(help: "Show every file request on standard error.") var showRequests = false
    @OptionGroup var global: GlobalOptions

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
        // A book that is not there is no matter of the device.
        for file in book { try OpenContent(path: file).close() }
        let books = book.map { URL(fileURLWithPath: $0) }
        let simulation = try Simulation(
            folder: folder.map { URL(fileURLWithPath: $0) },
            books: folder == nil && books.isEmpty ? Simulation.realBooks() : books, changes: changes,
            booksAreAskedFor: true)
        defer { simulation.stop() }
        let console = invocation.console
        for note in simulation.notes { console.note(TerminalText.sanitized(note)) }
        if showRequests {
            simulation.device.onFileRequest { request in
                console.diagnostics(
                    "\(request.number) \(request.operation) \(TerminalText.sanitized(request.path ?? "")) "
                        + "\(request.status.map { "\($0)" } ?? "no answer") \(request.bytesReceived) in, "
                        + "\(request.bytesSent) out\n")
            }
        }
        let device = simulation.device
        console.element(
            .document([
                "address": .string(simulation.usbmuxd.address), "udid": .string(device.settings.udid),
                "folder": .string(device.folder.path), "settings": .string(simulation.settingsFile.path),
            ])
        ) { "USBMUXD_SOCKET_ADDRESS=\(simulation.usbmuxd.address)" }
        console.note(
            TerminalText.sanitized(
                "\(device.settings.name), iOS \(device.settings.iosVersion), in \(device.folder.path).")
                + " Ctrl-C ends it.")
        try serve(simulation, invocation)
        return .done
    }

    /// Waits for the end, and takes over the settings file whenever it was written.
    private func serve(_ simulation: Simulation, _ invocation: Invocation) throws(HostError) {
        let watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard watch >= 0 else {
            throw HostError(.hostIO, "The settings file cannot be watched.", native: .posix(errno))
        }
        defer { close(watch) }
        let events = UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO)
        guard inotify_add_watch(watch, simulation.device.folder.path, events) >= 0 else {
            throw HostError(
                .hostIO, "The settings file cannot be watched.", subject: simulation.settingsFile.path,
                native: .posix(errno))
        }
        while !invocation.cancellation.isCancelled {
            var descriptor = pollfd(fd: watch, events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, 200) > 0 else { continue }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(watch, &buffer, buffer.count)
            guard count > 0, String(decoding: buffer[..<count], as: UTF8.self).contains("device.json") else {
                continue
            }
            for note in simulation.reload() { invocation.console.note(TerminalText.sanitized(note)) }
        }
    }
}
