/// An error, described for programs (`code`) and users (`message`, `subject`, `hint`).
///
/// All modules throw this type, each with its own codes:
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
/// A message is a complete sentence: it begins with a capital letter, ends with a full stop, and does not repeat the
/// subject. A hint is also a complete sentence, and explains what to do. The error of the lower layer is kept in
/// `underlying`, and its number in `native`.
public struct Failure<Code: FailureCode>: CodedFailure {
    /// The kind of failure.
    public var code: Code
    /// A complete sentence about the failure, without the name of the subject.
    public var message: String
    /// The subject of the failure, such as a path, a key, a device or a book; nil if there is none.
    public var subject: String?
    /// What the user can do about it, in complete sentences; nil if unknown.
    public var hint: String?
    /// The kind of help that `hint` gives. Nil if the hint does not name an option or command that other programs
    /// would name differently.
    public var hintCode: HintCode?
    /// Whether the same call may succeed if it is tried again.
    public var isRetryable: Bool
    /// The number or name that the device, a library or the system returned; nil if there is none.
    public var native: NativeCode?
    /// The error of the lower layer; nil if this failure is the first.
    public var underlying: (any Error)?

    /// Creates a failure with a code and texts.
    public init(
        _ code: Code, _ message: String, subject: String? = nil, hint: String? = nil,
        hintCode: HintCode? = nil, isRetryable: Bool = false,
        native: NativeCode? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.subject = subject
        self.hint = hint
        self.hintCode = hintCode
        self.isRetryable = isRetryable
        self.native = native
        self.underlying = underlying
    }

    /// Creates a failure from one of another module. It keeps the texts, and the original failure becomes
    /// `underlying`.
    public init(_ code: Code, _ below: some CodedFailure) {
        self.init(
            code, below.message, subject: below.subject, hint: below.hint, hintCode: below.hintCode,
            isRetryable: below.isRetryable, native: below.native, underlying: below)
    }

    /// This failure with a subject, unless it already has one.
    public func about(_ subject: @autoclosure () -> String?) -> Failure {
        guard self.subject == nil else { return self }
        var copy = self
        copy.subject = subject()
        return copy
    }

    /// This failure with a hint, unless it already has one.
    public func hinting(_ hint: String) -> Failure {
        guard self.hint == nil else { return self }
        var copy = self
        copy.hint = hint
        return copy
    }
}

extension Failure: CustomStringConvertible {
    /// The failure on one line, as `subject: message hint (native)`.
    public var description: String {
        var text = subject.map { "\($0): \(message)" } ?? message
        if let hint { text += " " + hint }
        if let native { text += " (\(native))" }
        return text
    }
}

extension Failure: Equatable {
    /// Compares codes and texts, but not the underlying errors.
    public static func == (left: Failure, right: Failure) -> Bool {
        left.code == right.code && left.message == right.message && left.subject == right.subject
            && left.hint == right.hint && left.hintCode == right.hintCode
            && left.isRetryable == right.isRetryable && left.native == right.native
    }
}

/// A failure of any module, for layers that do not know the module's codes.
///
/// ```swift
/// func report(_ error: any CodedFailure) {
///     print(error.subject ?? "", error.message, error.hint ?? "")
///     if error.isRetryable { print("Try again.") }
/// }
/// ```
public protocol CodedFailure: Error, Sendable {
    /// The codes of the module.
    associatedtype Code: FailureCode
    /// The kind of failure.
    var code: Code { get }
    /// A complete sentence about the failure, without the name of the subject.
    var message: String { get }
    /// The subject of the failure.
    var subject: String? { get }
    /// What the user can do about it.
    var hint: String? { get }
    /// The kind of help that `hint` gives.
    var hintCode: HintCode? { get }
    /// Whether the same call may succeed if it is tried again.
    var isRetryable: Bool { get }
    /// The number or name that a lower layer returned.
    var native: NativeCode? { get }
    /// The error of the lower layer.
    var underlying: (any Error)? { get }
}

/// The codes of a module: an open set of texts, compared as texts.
///
/// The text of a code consists of lower case words joined by `_`, and is never renamed. Later versions may add codes.
public protocol FailureCode: RawRepresentable<String>, Hashable, Sendable, CustomStringConvertible {
    /// Creates a code from its text; any text is valid.
    init(rawValue: String)
}

extension FailureCode {
    /// The text of the code.
    public var description: String { rawValue }
}
