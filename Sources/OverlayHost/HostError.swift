/// What went wrong, for a program (`code`) and for a person (`message`, `subject`, `hint`).
///
/// A lower layer's error is kept whole in `underlying` and its untouched number in `native`; nothing is renamed away.
public struct HostError: Error, Sendable {
    /// What kind of failure it is; decides the exit status.
    public var code: Code
    /// One sentence for a person, without the subject's name at its start.
    public var message: String
    /// What it happened to: a path, key, device, bundle id or book. Nil when there is nothing to name.
    public var subject: String?
    /// What the person can do about it. Nil when nothing sensible is known.
    public var hint: String?
    /// True when the same call may succeed when it is tried again.
    public var isRetryable: Bool
    /// The untouched number of the layer that failed first, if it had one.
    public var native: NativeCode?
    /// The error of the layer below, if this one wraps it.
    public var underlying: (any Error)?

    /// An error of `code` with its texts.
    public init(
        _ code: Code, _ message: String, subject: String? = nil, hint: String? = nil,
        isRetryable: Bool = false,
        native: NativeCode? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.subject = subject
        self.hint = hint
        self.isRetryable = isRetryable
        self.native = native
        self.underlying = underlying
    }

    /// The exit status a program ends with when this error ends it.
    public var exitStatus: ExitStatus { code.exitStatus }
}

extension HostError: CustomStringConvertible {
    /// `subject: message hint (native)`, on one line.
    public var description: String {
        var text = subject.map { "\($0): \(message)" } ?? message
        if let hint { text += " " + hint }
        if let native { text += " (\(native))" }
        return text
    }
}
