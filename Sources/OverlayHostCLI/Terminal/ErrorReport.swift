import JSON
import OverlayHost
import Platform

/// An error in its forms for people and programs.
enum ErrorReport {
    /// `overlayhost: 'subject': message`, the code of a lower layer if there is one, and the hint on its own line.
    ///
    /// - Parameter label: the device on which it occurred, if several are used.
    static func text(_ error: HostError, label: String? = nil) -> String {
        var text = "overlayhost: "
        if let label { text += "\(TerminalText.sanitized(label)): " }
        if let subject = error.subject, subject != label { text += "'\(TerminalText.sanitized(subject))': " }
        text += TerminalText.sanitized(error.message)
        if let native = error.native, !isSaid(native, by: error.message) { text += " (\(native))" }
        if let hint = error.hint { text += "\n  \(TerminalText.sanitized(hint))" }
        return text
    }

    /// Whether a message has the system's text of an errno, so that the number says nothing more.
    private static func isSaid(_ native: NativeCode, by message: String) -> Bool {
        guard native.domain == .posix, let number = native.number.flatMap({ Int32(exactly: $0) }) else {
            return false
        }
        return message.contains(systemText(number))
    }

    /// `{"error": {"code", "message", "subject", "hint"}}`.
    static func document(_ error: HostError) -> JSONValue {
        .document(["error": body(error)])
    }

    /// `{"code", "message", "subject", "hint"}`, and the codes of the hint and of a lower layer if there are some.
    static func body(_ error: HostError) -> JSONValue {
        .document([
            "code": .string(error.code.rawValue), "message": .string(error.message),
            "subject": .optional(error.subject), "hint": .optional(error.hint),
            "hint_code": error.hintCode.map { .string($0.rawValue) },
            "native": error.native.map { .string("\($0)") },
        ])
    }
}
