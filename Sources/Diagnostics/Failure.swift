/// What went wrong: `code` for a program; `message`, `subject` and `hint` for a person.
///
/// Every module throws this one shape, with codes of its own:
///
/// ```swift
/// struct ShelfErrorCode: FailureCode {
///     let rawValue: String
///     init(rawValue: String) { self.rawValue = rawValue }
///     static let full = Self(rawValue: "full")
/// }
/// typealias ShelfError = Failure<ShelfErrorCode>
///
/// throw ShelfError(.full, "The shelf is full.", subject: "Emma", hint: "Remove a book.")
/// ```
///
/// A message is a full sentence: it starts with a capital letter, ends with a full stop, and does not repeat the subject.
/// A hint is one too, and says what to do. The error of the layer below is kept whole in `underlying`, and its number in
/// `native`.
public struct Failure<Code: FailureCode>: CodedFailure {
    /// What kind of failure it is.
    public var code: Code
    /// What happened: one full sentence that does not name the subject.
    public var message: String
    /// What it happened to, such as a path, a key, a device or a book. Nil when there is nothing to name.
    public var subject: String?
    /// What the person can do about it: full sentences. Nil when nothing sensible is known.
    public var hint: String?
    /// True when the same call may succeed when it is tried again.
    public var isRetryable: Bool
    /// The number or name that the device, a library or the system gave. Nil when there was none.
    public var native: NativeCode?
    /// The error of the layer below. Nil when this failure is the first.
    public var underlying: (any Error)?

    /// A failure of `code` with its texts.
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

    /// A failure of another module under a code of this one: its texts stay, and the failure itself becomes `underlying`.
    public init(_ code: Code, _ below: some CodedFailure) {
        self.init(
            code, below.message, subject: below.subject, hint: below.hint, isRetryable: below.isRetryable,
            native: below.native, underlying: below)
    }

    /// The same failure about `subject`, unless it already names one.
    public func about(_ subject: @autoclosure () -> String?) -> Failure {
        guard self.subject == nil else { return self }
        var copy = self
        copy.subject = subject()
        return copy
    }

    /// The same failure with a hint, unless it already has one.
    public func hinting(_ hint: String) -> Failure {
        guard self.hint == nil else { return self }
        var copy = self
        copy.hint = hint
        return copy
    }
}

extension Failure: CustomStringConvertible {
    /// `subject: message hint (native)`, on one line.
    public var description: String {
        var text = subject.map { "\($0): \(message)" } ?? message
        if let hint { text += " " + hint }
        if let native { text += " (\(native))" }
        return text
    }
}

extension Failure: Equatable {
    /// Two failures are equal when they say the same; the errors below them are not compared.
    public static func == (left: Failure, right: Failure) -> Bool {
        left.code == right.code && left.message == right.message && left.subject == right.subject
            && left.hint == right.hint && left.isRetryable == right.isRetryable && left.native == right.native
    }
}

/// A failure of any module: what the layer above reads without knowing the module's codes.
public protocol CodedFailure: Error, Sendable {
    /// The codes of the module.
    associatedtype Code: FailureCode
    /// What kind of failure it is.
    var code: Code { get }
    /// What happened: one full sentence that does not name the subject.
    var message: String { get }
    /// What it happened to.
    var subject: String? { get }
    /// What the person can do about it.
    var hint: String? { get }
    /// True when the same call may succeed when it is tried again.
    var isRetryable: Bool { get }
    /// The number or name that a lower layer gave.
    var native: NativeCode? { get }
    /// The error of the layer below.
    var underlying: (any Error)? { get }
}

/// The codes of one module: an open set of texts, compared as texts.
///
/// A code's text is lower case words joined by `_`, and is never renamed. Later versions may add codes.
public protocol FailureCode: RawRepresentable<String>, Hashable, Sendable, CustomStringConvertible {
    /// A code by its text; any text is a code.
    init(rawValue: String)
}

extension FailureCode {
    /// The text of the code.
    public var description: String { rawValue }
}
