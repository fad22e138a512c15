import ArgumentParser

/// The options every verb takes.
struct GlobalOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The device: a UDID, the beginning of one, or a name; several with commas; or all.",
            valueName: "id"))
    var device: String?

    @Option(help: ArgumentHelp("The reader app: a name such as Marvin, or a bundle id.", valueName: "name"))
    var app: String?

    @Flag(
        help: ArgumentHelp(
            "Use a simulated device with a ready-made library; --simulated=DIR keeps one in a folder."))
    var simulated = false

    @Option(help: .hidden)
    var simulatedFolder: String?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("A folder with overlays, searched first. Repeatable.", valueName: "dir"))
    var plugins: [String] = []

    @Option(help: ArgumentHelp("The preferences file.", valueName: "file"))
    var prefs: String?

    @Flag(help: "Run overlays in this process, unconfined, for debuggers.")
    var inProcess = false

    @Flag(help: "Run the verb again with each new build of the overlay, until interrupted.")
    var watch = false

    @Option(
        help: ArgumentHelp(
            "Record every call between the host and its overlays; see 'overlayhost trace'.",
            valueName: "file"))
    var trace: String?

    @Flag(help: "Record the contents of books and covers as well, which --trace else cuts after 4 KiB.")
    var traceContents = false

    @Flag(help: "Print one JSON document (or one object per line) instead of text.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print nothing but results and errors.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Explain on standard error what is being done.")
    var verbose = false
}
