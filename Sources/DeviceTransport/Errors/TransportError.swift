/// Why a conversation with a device failed: a stable code, a sentence, what it was about, what to do, and the code
/// the device or the library gave.
public struct TransportError: Error, Sendable, Equatable {
    /// What kind of failure this is; programs decide by it.
    public var code: Code
    /// What went wrong, one sentence for a person.
    public var message: String
    /// The path, app or device concerned.
    public var subject: String?
    /// What a person can do about it.
    public var hint: String?
    /// The code of the device, the library or the system behind this error.
    public var native: NativeError?
    /// The failure that led to this one.
    public var underlying: Underlying?

    /// Makes an error; every part but the code and the message may be left out.
    public init(
        _ code: Code, _ message: String, subject: String? = nil, hint: String? = nil,
        native: NativeError? = nil,
        underlying: TransportError? = nil
    ) {
        self.code = code
        self.message = message
        self.subject = subject
        self.hint = hint
        self.native = native
        self.underlying = underlying.map(Underlying.init)
    }

    /// The same error about `subject`, unless it already names one.
    public func about(_ subject: @autoclosure () -> String) -> TransportError {
        guard self.subject == nil else { return self }
        var copy = self
        copy.subject = subject()
        return copy
    }

    /// The same error with a hint, unless it already has one.
    public func hinting(_ hint: String) -> TransportError {
        guard self.hint == nil else { return self }
        var copy = self
        copy.hint = hint
        return copy
    }
}

extension TransportError {
    /// Holds the error that led to another one; a reference, because a struct cannot contain itself.
    public final class Underlying: Sendable, Equatable {
        /// The earlier error.
        public let error: TransportError

        init(_ error: TransportError) { self.error = error }

        /// Two are equal when their errors are.
        public static func == (left: Underlying, right: Underlying) -> Bool { left.error == right.error }
    }
}

extension TransportError: CustomStringConvertible {
    /// One line: subject, message, native code.
    public var description: String {
        var text = subject.map { "\($0): " } ?? ""
        text += message
        if let native { text += " (\(native))" }
        return text
    }
}
