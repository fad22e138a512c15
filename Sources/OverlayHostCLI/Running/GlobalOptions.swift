import ArgumentParser

/// The options that commands have in common. A command lists those that it takes in `ProgramCommand.takes`. The others
/// are also parsed, so that an error can say why they do not apply.
///
/// `CommonSection` has their headings in the help. Groups in this group would have them too, but without optimization
/// the parser takes four times as long for each level of groups.
struct GlobalOptions<Taker: ProgramCommand>: ParsableArguments, Sendable {
    // MARK: device and app

    @Option(
        help: Taker.help(
            .device,
            "The device: a UDID, the start of one, or a name. Separate several with commas, "
                + "or use all.", "id"
        ), completion: .custom(KnownNames.devices))
    var device: String?

    @Option(
        help: Taker.help(.app, "The reader app: a name such as Marvin, or a bundle id.", "name"),
        completion: .custom(KnownNames.apps))
    var app: String?

    @Flag(
        help: Taker.help(
            .simulated,
            "Use a simulated device with a sample library. --simulated=DIR keeps it in a folder, or "
                + "uses the one running there."
        ))
    var simulated = false

    @Option(help: .hidden)
    var simulatedFolder: String?

    @Option(
        help: Taker.help(
            .profile, "The kind of simulated device to create: \(SimulationProfile.names).", "name"))
    var profile: SimulationProfile?

    @Option(help: Taker.help(.prefs, "The preferences file.", "file"), completion: .file())
    var prefs: String?

    // MARK: output

    @Flag(help: "Print JSON instead of text: one document, or one object per line.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "When to style text. auto: on a terminal, unless NO_COLOR is set.",
            valueName: "when"))
    var color = ColorChoice.auto

    @Flag(name: .shortAndLong, help: "Print only results and errors.")
    var quiet = false

    @Flag(
        name: .shortAndLong,
        help: "Log what happens, and what overlays write, to standard error.")
    var verbose = false

    // MARK: for authors of overlays

    @Option(
        parsing: .singleValue,
        help: Taker.help(.plugins, "A folder to search for overlays first. Repeatable.", "dir"),
        completion: .directory)
    var plugins: [String] = []

    @Flag(help: Taker.help(.inProcess, "Run overlays in this process, without isolation, for debugging."))
    var inProcess = false

    @Flag(
        help: Taker.help(
            .watch,
            "Run the command again for each new build of the overlay, until "
                + "interrupted."))
    var watch = false

    @Option(
        help: Taker.help(
            .trace,
            "Record every call between the host and its overlays in this file. See "
                + "'overlayhost trace'.", "file"), completion: .file())
    var trace: String?

    @Flag(
        help: Taker.help(
            .traceContents,
            "Record books and covers in full; otherwise --trace records only the first 4 KiB of each."))
    var traceContents = false
}

/// A section of common options in the help of a command.
enum CommonSection: String, CaseIterable {
    case device = "DEVICE AND APP:"
    case output = "OUTPUT:"
    case development = "FOR AUTHORS OF OVERLAYS:"

    /// The names of the options.
    var options: [String] {
        switch self {
        case .device: ["--device", "--app", "--simulated", "--profile", "--prefs"]
        case .output: ["--json", "--color", "--quiet", "--verbose"]
        case .development: ["--plugins", "--in-process", "--watch", "--trace", "--trace-contents"]
        }
    }
}

extension ProgramCommand {
    /// The help for a common option, shown only by commands that take it.
    fileprivate static func help(
        _ option: CommonOption, _ text: String, _ value: String? = nil
    ) -> ArgumentHelp {
        ArgumentHelp(text, valueName: value, visibility: takes.contains(option) ? .default : .hidden)
    }
}

/// When to style text.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    case auto, always, never

    /// Whether to style a console's text; `auto` does so on a terminal that supports and allows it.
    func isStyled(_ console: Console) -> Bool {
        switch self {
        case .auto: console.isStyled
        case .always: true
        case .never: false
        }
    }
}

/// A common option that not every command takes.
enum CommonOption: String, CaseIterable, Sendable {
    case device = "--device"
    case app = "--app"
    case simulated = "--simulated"
    case profile = "--profile"
    case plugins = "--plugins"
    case prefs = "--prefs"
    case inProcess = "--in-process"
    case watch = "--watch"
    case trace = "--trace"
    case traceContents = "--trace-contents"

    /// Why a command that does not take the option refuses it. Nil if it is accepted anyway, because it says where to
    /// find devices, overlays and preferences, and scripts that wrap the program pass it to all commands.
    var refusal: String? {
        switch self {
        case .device: "This command does not use a device."
        case .app: "This command does not use a reader app."
        case .inProcess: "This command does not support --in-process."
        case .watch: "This command does not support --watch."
        case .trace, .traceContents: "This command does not support --trace."
        case .profile: "This command does not simulate a device."
        case .simulated, .plugins, .prefs: nil
        }
    }
}

/// The common options of a command line.
struct RunOptions: Sendable {
    var device: String?
    var app: String?
    var simulated: Bool
    var simulatedFolder: String?
    var profile: SimulationProfile?
    var plugins: [String]
    var prefs: String?
    var inProcess: Bool
    var watch: Bool
    var trace: String?
    var traceContents: Bool
    var json: Bool
    var color: ColorChoice
    var quiet: Bool
    var verbose: Bool

    init<Taker: ProgramCommand>(_ options: GlobalOptions<Taker>) {
        device = options.device
        app = options.app
        simulated = options.simulated
        simulatedFolder = options.simulatedFolder
        profile = options.profile
        plugins = options.plugins
        prefs = options.prefs
        inProcess = options.inProcess
        watch = options.watch
        trace = options.trace
        traceContents = options.traceContents
        json = options.json
        color = options.color
        quiet = options.quiet
        verbose = options.verbose
    }

    /// The given options among those that not every command takes.
    var given: Set<CommonOption> {
        var given: Set<CommonOption> = []
        if device != nil { given.insert(.device) }
        if app != nil { given.insert(.app) }
        if simulated || simulatedFolder != nil { given.insert(.simulated) }
        if profile != nil { given.insert(.profile) }
        if !plugins.isEmpty { given.insert(.plugins) }
        if prefs != nil { given.insert(.prefs) }
        if inProcess { given.insert(.inProcess) }
        if watch { given.insert(.watch) }
        if trace != nil { given.insert(.trace) }
        if traceContents { given.insert(.traceContents) }
        return given
    }
}
