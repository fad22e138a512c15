import ArgumentParser

/// The options that verbs have in common, as a verb lists them: those that it takes, see `Verb.takes`. The others are parsed, too,
/// so that whoever gives one is told why it means nothing.
struct GlobalOptions<Taker: Verb>: ParsableArguments, Sendable {
    @Option(
        help: Self.help(
            .device, "The device: a UDID, the beginning of one, or a name; several with commas; or all.", "id"
        ))
    var device: String?

    @Option(help: Self.help(.app, "The reader app: a name such as Marvin, or a bundle id.", "name"))
    var app: String?

    @Flag(
        help: Self.help(
            .simulated,
            "Use a simulated device with a ready-made library; --simulated=DIR keeps one in a folder, or uses the one that runs there."
        ))
    var simulated = false

    @Option(help: .hidden)
    var simulatedFolder: String?

    @Option(
        parsing: .singleValue,
        help: Self.help(.plugins, "A folder with overlays, searched first. Repeatable.", "dir"))
    var plugins: [String] = []

    @Option(help: Self.help(.prefs, "The preferences file.", "file"))
    var prefs: String?

    @Flag(help: Self.help(.inProcess, "Run overlays in this process, unconfined, for debuggers."))
    var inProcess = false

    @Flag(
        help: Self.help(.watch, "Run the verb again with each new build of the overlay, until interrupted."))
    var watch = false

    @Option(
        help: Self.help(
            .trace, "Record every call between the host and its overlays; see 'overlayhost trace'.", "file"))
    var trace: String?

    @Flag(
        help: Self.help(
            .traceContents,
            "Record the contents of books and covers as well, which --trace else cuts after 4 KiB."))
    var traceContents = false

    @Flag(help: "Print one JSON document (or one object per line) instead of text.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print nothing but results and errors.")
    var quiet = false

    @Flag(
        name: .shortAndLong,
        help: "Explain on standard error what is being done, and show there what overlays write.")
    var verbose = false

    private static func help(
        _ option: CommonOption, _ text: String, _ value: String? = nil
    ) -> ArgumentHelp {
        ArgumentHelp(
            text, valueName: value, visibility: Taker.takes.contains(option) ? .default : .hidden)
    }
}

/// An option that not every verb takes.
enum CommonOption: String, CaseIterable, Sendable {
    case device = "--device"
    case app = "--app"
    case simulated = "--simulated"
    case plugins = "--plugins"
    case prefs = "--prefs"
    case inProcess = "--in-process"
    case watch = "--watch"
    case trace = "--trace"
    case traceContents = "--trace-contents"

    /// Why a verb that does not take it refuses it; nil: it is let pass, because it says where devices, overlays and
    /// preferences are to be found, for all verbs alike, as scripts do that wrap the program.
    var refusal: String? {
        switch self {
        case .device: "This verb is not about a device."
        case .app: "This verb is not about one reader app."
        case .inProcess: "This verb runs no overlay of its own choice."
        case .watch: "This verb is not run again with new builds of an overlay."
        case .trace, .traceContents: "This verb keeps no recording of calls."
        case .simulated, .plugins, .prefs: nil
        }
    }
}

/// What was given of the options that verbs have in common.
struct RunOptions: Sendable {
    var device: String?
    var app: String?
    var simulated: Bool
    var simulatedFolder: String?
    var plugins: [String]
    var prefs: String?
    var inProcess: Bool
    var watch: Bool
    var trace: String?
    var traceContents: Bool
    var json: Bool
    var quiet: Bool
    var verbose: Bool

    init<Taker: Verb>(_ options: GlobalOptions<Taker>) {
        device = options.device
        app = options.app
        simulated = options.simulated
        simulatedFolder = options.simulatedFolder
        plugins = options.plugins
        prefs = options.prefs
        inProcess = options.inProcess
        watch = options.watch
        trace = options.trace
        traceContents = options.traceContents
        json = options.json
        quiet = options.quiet
        verbose = options.verbose
    }

    /// Those that were given of the options that not every verb takes.
    var given: Set<CommonOption> {
        var given: Set<CommonOption> = []
        if device != nil { given.insert(.device) }
        if app != nil { given.insert(.app) }
        if simulated || simulatedFolder != nil { given.insert(.simulated) }
        if !plugins.isEmpty { given.insert(.plugins) }
        if prefs != nil { given.insert(.prefs) }
        if inProcess { given.insert(.inProcess) }
        if watch { given.insert(.watch) }
        if trace != nil { given.insert(.trace) }
        if traceContents { given.insert(.traceContents) }
        return given
    }
}
