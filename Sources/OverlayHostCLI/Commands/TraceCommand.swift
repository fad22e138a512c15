import ArgumentParser
import JSON
import OverlayHost
import Tracing

/// `trace`: shows recordings of the calls between the host and its overlays.
struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace", abstract: "Show recordings made with --trace.",
        subcommands: [Show.self])

    /// `trace show FILE`: every call with its time, arguments and result.
    struct Show: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show every call of a recording.",
            usage: "overlayhost trace show <file> [--chrome] [--full] [<options>]",
            discussion: """
                Each line has the seconds since the start, the thread, and the call, indented by the \
                calls that contain it: '>' the host calls the overlay, '<' the overlay calls the host, \
                '=' the result. --json prints one object per line.
                """)

        @Argument(help: ArgumentHelp("A recording.", valueName: "file"), completion: .file())
        var file: String
        @Flag(help: "Print Trace Event JSON for timeline viewers.") var chrome = false
        @Flag(help: "Show long values in full, as far as they were recorded.") var full = false
        @OptionGroup var global: GlobalOptions<Show>

        static let takes: Set<CommonOption> = []

        func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
            let recording = try RecordingFile(file)
            let console = invocation.console
            if chrome {
                try showTimeline(recording, console)
            } else if console.isJSON {
                try showRecords(recording, console)
            } else {
                try showLines(recording, console)
            }
            return .done
        }

        private func showLines(_ recording: RecordingFile, _ console: Console) throws(HostError) {
            console.line(TerminalText.sanitized(recording.summary))
            var listing = TraceListing(TraceText(full ? .whole : .usual))
            let problem = recording.forEach(until: console) { event in
                for line in listing.lines(event) { console.line(TerminalText.sanitized(line)) }
            }
            for line in listing.rest(signal: recording.reader.signal) {
                console.line(TerminalText.sanitized(line))
            }
            if let problem { throw problem }
        }

        private func showRecords(_ recording: RecordingFile, _ console: Console) throws(HostError) {
            console.line(TraceJSON.header(recording.reader).text(.line))
            let problem = recording.forEach(until: console) { event in
                console.line(TraceJSON.event(event).text(.line))
            }
            if let problem { throw problem }
        }

        /// The document is complete even if the recording is not, so that a viewer can show the complete part.
        private func showTimeline(_ recording: RecordingFile, _ console: Console) throws(HostError) {
            var timeline = TraceChrome()
            var separator = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
            func write(_ events: [JSONValue]) {
                for event in events {
                    console.output(separator + event.text(.line))
                    separator = ",\n"
                }
            }
            let problem = recording.forEach(until: console) { write(timeline.events($0)) }
            write(timeline.rest())
            console.line((separator == ",\n" ? "" : separator) + "\n]}")
            if let problem { throw problem }
        }
    }
}

/// A recording that a command reads.
struct RecordingFile {
    let file: String
    let reader: TraceReader

    init(_ file: String) throws(HostError) {
        self.file = file
        do throws(TraceError) {
            reader = try TraceReader(path: file)
        } catch {
            throw HostError(error, file: file)
        }
    }

    /// A summary of the whole recording.
    var summary: String {
        "\(file): recorded \(BookDocument.timestamp(Int64(clamping: reader.began / 1_000_000_000))) by \(reader.host), "
            + "contract \(reader.contract.major).\(reader.contract.minor), "
            + (reader.contentLimit < UInt64(UInt32.max) / 2
                ? "contents up to \(reader.contentLimit) bytes" : "contents in full")
    }

    /// Passes every complete record to `body`; the error says what is wrong with the rest.
    func forEach(until console: Console, _ body: (TraceEvent) -> Void) -> HostError? {
        do throws(TraceError) {
            // A list without end stops when its reader closes the output.
            while console.outputError() == nil, let event = try reader.next() { body(event) }
            return nil
        } catch {
            return HostError(error, file: file)
        }
    }
}
