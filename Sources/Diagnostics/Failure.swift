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
///
/// A failure has the size of a pointer, because lists of results and of running work have room for one per item.
public struct Failure<Code: FailureCode>: CodedFailure {
    private struct Values: Sendable {
        var code: Code
        var message: String
        var subject: String?
        var hint: String?
        var hintCode: HintCode?
        var isRetryable: Bool
        var native: NativeCode?
        var underlying: (any Error)?
    }

    private final class Storage: Sendable {
        let values: Values
        init(_ values: Values) { self.values = values }
    }

    private var storage: Storage

    /// The kind of failure.
    public var code: Code {
        get { storage.values.code }
        set { change { $0.code = newValue } }
    }
    /// A complete sentence about the failure, without the name of the subject.
    public var message: String {
        get { storage.values.message }
        set { change { $0.message = newValue } }
    }
    /// The subject of the failure, such as a path, a key, a device or a book; nil if there is none.
    public var subject: String? {
        get { storage.values.subject }
        set { change { $0.subject = newValue } }
    }
    /// What the user can do about it, in complete sentences; nil if unknown.
    public var hint: String? {
        get { storage.values.hint }
        set { change { $0.hint = newValue } }
    }
    /// The kind of help that `hint` gives. Nil if the hint does not name an option or command that other programs
    /// would name differently.
    public var hintCode: HintCode? {
        get { storage.values.hintCode }
        set { change { $0.hintCode = newValue } }
    }
    /// Whether the same call may succeed if it is tried again.
    public var isRetryable: Bool {
        get { storage.values.isRetryable }
        set { change { $0.isRetryable = newValue } }
    }
    /// The number or name that the device, a library or the system returned; nil if there is none.
    public var native: NativeCode? {
        get { storage.values.native }
        set { change { $0.native = newValue } }
    }
    /// The error of the lower layer; nil if this failure is the first.
    public var underlying: (any Error)? {
        get { storage.values.underlying }
        set { change { $0.underlying = newValue } }
    }

    /// Creates a failure with a code and texts.
    public init(
        _ code: Code, _ message: String, subject: String? = nil, hint: String? = nil,
        hintCode: HintCode? = nil, isRetryable: Bool = false,
        native: NativeCode? = nil, underlying: (any Error)? = nil
    ) {
        storage = Storage(
            Values(
                code: code, message: message, subject: subject, hint: hint, hintCode: hintCode,
                isRetryable: isRetryable, native: native, underlying: underlying))
    }

    private mutating func change(_ body: (inout Values) -> Void) {
        var values = storage.values
        body(&values)
        storage = Storage(values)
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
