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
    /// Cells that tables are to fit; nil where standard output is not a terminal, and then nothing is cut.
    var width: Int?
    /// Whether standard output is a terminal; nil: if it has a width.
    var terminal: Bool?
    /// Whether text may be styled, such as with bold letters; nil: on a terminal.
    var styling: Bool?
    /// Cells of the terminal on standard error, where progress is drawn; nil if there is none.
    var progressWidth: Int?
    /// Lines of that terminal; nil if there is none.
    var progressHeight: Int?
    /// Names the device that messages are about, where several are at work.
    var label: String?
    /// Names of devices, for messages that name one by its UDID.
    var names: DeviceNames?
    /// Receives text for standard output.
    var output: @Sendable (String) -> Void
    /// Receives bytes for standard output that are the result as they are.
    var bytes: @Sendable ([UInt8]) -> Void = { _ in }
    /// Takes the document of a result in place of standard output, where it becomes a part of a larger one.
    var document: (@Sendable (JSONValue) -> Void)?
    /// Receives text for standard error.
    var diagnostics: @Sendable (String) -> Void
    /// The errno of the first write to standard output that failed.
    var outputError: @Sendable () -> Int32? = { nil }

    /// Whether standard output is a terminal.
    var isTerminal: Bool { terminal ?? (width != nil) }

    /// Whether text is styled.
    var isStyled: Bool {
        get { styling ?? isTerminal }
        set { styling = newValue }
    }

    /// The text in a style, if text is styled.
    func styled(_ text: String, _ style: TextStyle) -> String {
        isStyled ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Prints one line, or several, of the result.
    func line(_ text: String) { output(text + "\n") }

    /// Prints a note, which is not part of the result.
    func note(_ text: String) {
        if !isQuiet { diagnostics(labelled(text) + "\n") }
    }

    /// The same while progress may be drawn, which it does not tear.
    func note(_ text: String, above progress: any ProgressSink) {
        if !isQuiet { progress.say(labelled(text) + "\n") }
    }

    /// The text with the device it is about before it, where several are at work.
    func labelled(_ text: String) -> String {
        label.map { "\(TerminalText.sanitized($0)): \(text)" } ?? text
    }

    /// Prints a result: as one JSON document, or as the text that `text` makes.
    func result(_ document: @autoclosure () -> JSONValue, text: () -> String) {
        if isJSON {
            if let take = self.document {
                take(document())
            } else {
                line(document().text(.indented))
            }
        } else {
            let rendered = text()
            if !rendered.isEmpty { line(rendered) }
        }
    }

    /// Prints a result that ends with a long list: as one JSON document, of which the list is the last member, or as the text
    /// that `text` hands over in pieces. Of neither more than a part is in memory.
    func result(
        _ members: JSONObject, _ name: String, of elements: some Sequence<JSONValue>,
        text: ((String) -> Void) -> Void
    ) {
        if isJSON, let take = document {
            var members = members
            members[name] = .array(Array(elements))
            return take(.object(members))
        }
        var piece = ""
        var isEmpty = true
        func print(_ text: String) {
            isEmpty = isEmpty && text.isEmpty
            piece += text
            guard piece.utf8.count >= Self.pieceSize else { return }
            output(piece)
            piece.removeAll(keepingCapacity: true)
        }
        if isJSON { members.write(array: name, of: elements, to: print) } else { text(print) }
        if !isEmpty { line(piece) }
    }

    /// Bytes that are written at once, about.
    private static let pieceSize = 1 << 16

    /// Prints one element of a stream: one JSON object on its own line, or a line of text.
    func element(_ document: @autoclosure () -> JSONValue, text: () -> String) {
        line(isJSON ? document().text(.line) : text())
    }

    /// Prints an error as a sentence on standard error, also where results are JSON.
    func explain(_ error: HostError) {
        var error = error
        if let subject = error.subject { error.subject = names?.name(of: subject) ?? subject }
        diagnostics(ErrorReport.text(error, label: label) + "\n")
    }

    /// Prints an error where it belongs: as JSON on standard output, or as a sentence on standard error.
    ///
    /// The JSON is one line, so that it also fits at the end of a stream of elements.
    func report(_ error: HostError) {
        if isJSON {
            if let take = document {
                take(ErrorReport.document(error))
            } else {
                line(ErrorReport.document(error).text(.line))
            }
        } else {
            explain(error)
        }
    }
}

/// A style of text, by its number in escape sequences.
enum TextStyle: Int {
    case bold = 1
    case red = 31
    case green = 32
}
