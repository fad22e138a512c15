import Foundation
import SimulatedDevice
import TestSupport
import Testing

/// A simulated iPad with Marvin behind its own usbmuxd, and the `overlayhost` program connected to it.
final class ReaderBench: Sendable {
    static let marvin = "com.appstafarian.MarvinIP"

    let device: SimulatedDevice
    let daemon: SimulatedUsbmuxd
    let folder: TemporaryFolder
    private let program: String

    /// An iPad of iOS 8.1.3, where App Store apps can be opened, with `books` in Marvin.
    init(
        books: [URL] = [], traits: MarvinDatabaseTraits = [], marvin: Bool = true, attached: Bool = true,
        _ change: (inout SimulatedDeviceSettings) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.udid = randomUDID()
        settings.iosVersion = "8.1.3"
        if marvin { settings.apps = [Self.app()] }
        change(&settings)
        let home = folder.url.appendingPathComponent("ipad")
        let container = MarvinContainer(folder: home.appendingPathComponent("Containers/\(Self.marvin)"))
        try FileManager.default.createDirectory(at: container.folder, withIntermediateDirectories: true)
        if !books.isEmpty { try MarvinLibrary(container, traits: traits).populate(books: books) }
        device = try SimulatedDevice(folder: home, settings: settings)
        daemon = SimulatedUsbmuxd(socketPath: folder.path("mux"))
        try daemon.start()
        if attached { daemon.attach(device) }
        program = try buildProductsFolder().appendingPathComponent("overlayhost").path
    }

    deinit {
        daemon.stop()
        device.stopApps()
    }

    static func app(developmentSigned: Bool = false) -> SimulatedApp {
        SimulatedApp(
            bundleID: marvin, name: "Marvin", version: "2.7.1", developmentSigned: developmentSigned,
            kind: .marvin)
    }

    /// Runs `overlayhost` with its own folders for preferences, data and caches.
    func run(_ arguments: String..., limit: Double = 300) throws -> ProgramResult {
        try runProgram(program, arguments, environment: environment, limit: limit)
    }

    /// The same, with the words in an array.
    func run(
        words: [String], environment more: [String: String?] = [:], limit: Double = 300
    ) throws -> ProgramResult {
        try runProgram(
            program, words, environment: environment.merging(more) { _, new in new }, limit: limit)
    }

    /// Runs `overlayhost … --json` and reads its document.
    func json(_ arguments: String...) throws -> Document { try json(arguments) }

    /// The same, with the words in an array.
    func json(_ arguments: [String]) throws -> Document {
        let result = try runProgram(program, arguments + ["--json"], environment: environment)
        return try Document(result)
    }

    /// Starts `overlayhost` and leaves it running.
    func start(_ arguments: String..., environment more: [String: String?] = [:]) throws -> RunningProgram {
        try RunningProgram(
            program, arguments, environment: environment.merging(more) { _, new in new })
    }

    /// Starts `overlayhost` with a standard output that is never read.
    func startUnread(_ arguments: String...) throws -> RunningProgram {
        try RunningProgram(program, arguments, environment: environment, isRead: false)
    }

    /// Starts `overlayhost` on its own terminal, into which the test types.
    func startAtTerminal(_ arguments: String) throws -> RunningProgram {
        try RunningProgram(
            "/usr/bin/script",
            ["--quiet", "--flush", "--return", "--command", "exec '\(program)' \(arguments)", "/dev/null"],
            environment: environment, isTypedInto: true)
    }

    /// Starts `overlayhost` as nohup(1) does.
    func startIgnoringHangup(_ arguments: String...) throws -> RunningProgram {
        try RunningProgram(
            "/bin/sh", ["-c", "trap '' HUP; exec \"$@\"", "sh", program] + arguments, environment: environment
        )
    }

    /// The environment of the program.
    var environment: [String: String?] {
        [
            "USBMUXD_SOCKET_ADDRESS": daemon.address, "XDG_CONFIG_HOME": folder.path("config"),
            "XDG_DATA_HOME": folder.path("data"), "XDG_CACHE_HOME": folder.path("cache"),
            "XDG_STATE_HOME": folder.path("state"),
            "OVERLAYHOST_PLUGINS": nil,
        ]
    }

    var container: MarvinContainer { MarvinContainer(folder: device.containerFolder(of: Self.marvin)) }

    /// Makes Marvin ignore commands. The gate opens when an upload has been staged for it.
    func neverAnsweringMarvin() throws -> (marvin: SimulatedMarvin, staged: Gate) {
        let marvin = try #require(device.marvin(Self.marvin))
        marvin.behaviour = try #require(MarvinBehaviour(named: "never-answers"))
        let staged = Gate()
        device.onFileRequest { request in
            if request.operation == "RENAME_PATH", request.secondPath?.hasSuffix("upload_books.xml") == true {
                staged.open()
            }
        }
        return (marvin, staged)
    }

    /// Files that are left in the staging folder, except `connected.xml`.
    func staged() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: container.staging.path)
            .filter { $0 != "connected.xml" }.sorted()
    }

    /// Writes a file into the test's folder.
    func file(_ name: String, _ content: String) throws -> String {
        try Data(content.utf8).write(to: folder.url.appendingPathComponent(name))
        return folder.path(name)
    }
}

/// A JSON document that the program printed.
struct Document {
    let status: Int32
    /// The standard error of the program, for the messages of expectations.
    let errors: String
    /// The document.
    let object: [String: Any]

    init(_ result: ProgramResult) throws {
        status = result.status
        errors = result.errors
        guard let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        else {
            throw Unexpected(output: result.output + result.errors)
        }
        self.object = object
    }

    struct Unexpected: Error { let output: String }

    /// The objects of an array member.
    func rows(_ name: String) -> [[String: Any]] { object[name] as? [[String: Any]] ?? [] }

    /// A member of the `error` object.
    func error(_ name: String) -> String? { (object["error"] as? [String: Any])?[name] as? String }

    subscript(name: String) -> Any? { object[name] }

    /// One text member of each object of an array.
    func texts(_ array: String, _ name: String) -> [String] { rows(array).compactMap { $0[name] as? String } }
}

extension ReaderBench {
    /// An iPhone with a reader whose books are files in its shared folder.
    static func paperback() throws -> ReaderBench {
        try ReaderBench(marvin: false) {
            $0.iosVersion = "17.0"
            $0.apps = [SimulatedReader.paperback()]
        }
    }

    /// A current iPhone with BibDesk, signed for development.
    static func bibDesk() throws -> ReaderBench {
        try ReaderBench(marvin: false) {
            $0.iosVersion = "18.6"
            $0.apps = [SimulatedBibDesk.app()]
        }
    }
}
