import JSON
import OverlayHost

/// The output of a command: results go to standard output, everything else to standard error.
///
/// Tests replace the closures. Any thread; the closures serialise their output.
struct Console: Sendable {
    /// Whether to print JSON instead of text.
    var isJSON: Bool
    /// Whether to leave out notes.
    var isQuiet: Bool
    /// The width to which tables are fitted, in cells; nil if standard output is not a terminal, and then nothing is
    /// cut.
    var width: Int?
    /// Whether standard output is a terminal; nil if that follows from `width`.
    var terminal: Bool?
    /// Whether text may be styled, for example in bold; nil styles it on a terminal.
    var styling: Bool?
    /// The width in cells of the terminal on standard error, where progress is drawn and messages are wrapped; nil if
    /// there is none.
    var progressWidth: Int?
    /// The number of lines of that terminal; nil if there is none.
    var progressHeight: Int?
    /// The name of the device that messages concern, if several devices are used.
    var label: String?
    /// The names of devices, for messages that refer to one by its UDID.
    var names: DeviceNames?
    /// Receives text for standard output.
    var output: @Sendable (String) -> Void
    /// Receives bytes for standard output that are themselves the result.
    var bytes: @Sendable ([UInt8]) -> Void = { _ in }
    /// Receives the document of a result that is part of a larger one, instead of standard output.
    var document: (@Sendable (JSONValue) -> Void)?
    /// Receives text for standard error.
    var diagnostics: @Sendable (String) -> Void
    /// The errno of the first write to standard output that failed; nil if none did.
    var outputError: @Sendable () -> Int32? = { nil }

    /// Whether standard output is a terminal.
    var isTerminal: Bool { terminal ?? (width != nil) }

    /// Whether text is styled.
    var isStyled: Bool {
        get { styling ?? isTerminal }
        set { styling = newValue }
    }

    /// The text with a style, if text is styled.
    func styled(_ text: String, _ style: TextStyle) -> String {
        isStyled ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Prints one or more lines of the result.
    func line(_ text: String) { output(text + "\n") }

    /// Prints a note, which is not part of the result.
    func note(_ text: String) {
        if !isQuiet { diagnose(labelled(text)) }
    }

    /// Prints a note above any drawn progress.
    func note(_ text: String, above progress: any ProgressSink) {
        if !isQuiet { progress.say((progress.isTerminal ? fitted(labelled(text)) : labelled(text)) + "\n") }
    }

    /// Prints one or more lines on standard error, wrapped to the terminal there.
    func diagnose(_ text: String) { diagnostics(fitted(text) + "\n") }

    /// The lines of a text, wrapped to the terminal on standard error.
    private func fitted(_ text: String) -> String {
        guard let progressWidth else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
            TerminalText.indented(String($0), to: progressWidth)
        }.joined(separator: "\n")
    }

    /// The text with its device in front, if several devices are used.
    func labelled(_ text: String) -> String {
        label.map { "\(TerminalText.sanitized($0)): \(text)" } ?? text
    }

    /// Prints a result, as one JSON document or as the text from `text`.
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

    /// Prints a result that ends with a long list, as one JSON document with the list as its last member, or as the
    /// text that `text` passes on in pieces. Only a part of it is in memory at a time.
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

    /// The approximate number of bytes that are written at once.
    private static let pieceSize = 1 << 16

    /// Prints one element of a stream, as a JSON object on its own line or as a line of text.
    func element(_ document: @autoclosure () -> JSONValue, text: () -> String) {
        line(isJSON ? document().text(.line) : text())
    }

    /// Prints an error as a sentence on standard error, even if results are JSON.
    func explain(_ error: HostError) {
        var error = error
        if let subject = error.subject { error.subject = names?.name(of: subject) ?? subject }
        diagnose(ErrorReport.text(error, label: label))
    }

    /// Prints an error, as JSON on standard output or as a sentence on standard error.
    ///
    /// The JSON is a single line, so that it also fits at the end of a stream of elements.
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
