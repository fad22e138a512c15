import JSON
import OverlayHost

/// Where a verb writes: results to standard output, everything else to standard error.
///
/// Tests give closures of their own. May be used from any thread; the closures serialise what they write.
struct Console: Sendable {
    /// Print JSON instead of text.
    var isJSON: Bool
    /// Leave out notes.
    var isQuiet: Bool
    /// Cells of the terminal on standard output; nil if it is none, and then nothing is cut.
    var width: Int?
    /// Cells of the terminal on standard error, where progress is drawn; nil if there is none.
    var progressWidth: Int?
    /// Receives text for standard output.
    var output: @Sendable (String) -> Void
    /// Receives bytes for standard output that are the result as they are.
    var bytes: @Sendable ([UInt8]) -> Void = { _ in }
    /// Receives text for standard error.
    var diagnostics: @Sendable (String) -> Void
    /// The errno of the first write to standard output that failed.
    var outputError: @Sendable () -> Int32? = { nil }

    /// Prints one line, or several, of the result.
    func line(_ text: String) { output(text + "\n") }

    /// Says something that is no result.
    func note(_ text: String) {
        if !isQuiet { diagnostics(text + "\n") }
    }

    /// Prints a result: as one JSON document, or as the text that `text` makes.
    func result(_ document: @autoclosure () -> JSONValue, text: () -> String) {
        if isJSON {
            line(document().text(.indented))
        } else {
            let rendered = text()
            if !rendered.isEmpty { line(rendered) }
        }
    }

    /// Prints one element of a stream: one JSON object on a line of its own, or a line of text.
    func element(_ document: @autoclosure () -> JSONValue, text: () -> String) {
        line(isJSON ? document().text(.line) : text())
    }

    /// Prints an error where it belongs: as JSON on standard output, or as a sentence on standard error.
    ///
    /// The JSON is one line, so that it also fits at the end of a stream of elements.
    func report(_ error: HostError) {
        if isJSON {
            line(ErrorReport.document(error).text(.line))
        } else {
            diagnostics(ErrorReport.text(error) + "\n")
        }
    }
}
