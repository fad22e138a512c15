/// A cause of a `ResourceError` that is a plain sentence.
public struct RequestProblem: Error, Sendable, CustomStringConvertible {
    /// What is wrong, as a sentence without a full stop.
    public let message: String
    /// The HREF, path or name it is about.
    public let subject: String?

    /// A cause of its parts.
    public init(_ message: String, subject: String? = nil) {
        self.message = message
        self.subject = subject
    }

    /// The message, after the subject if there is one.
    public var description: String { subject.map { "\($0): \(message)" } ?? message }

    /// The cause of reads after closing.
    package static let closed = RequestProblem("it was closed")
}
