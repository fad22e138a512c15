/// Why bytes are no AFC packet, or why a request cannot be put into one.
package struct AFCWireError: Error, Hashable, Sendable {
    /// The kind of failure, extensible.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the kind, in lower case with dashes.
        package var rawValue: String

        /// Takes any name.
        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The packet does not begin with the magic: the connection is out of step and cannot be used any more.
        package static let badMagic = Code(rawValue: "bad-magic")
        /// The two lengths of the header contradict each other or exceed what the reader allows; as fatal as a bad magic.
        package static let badLength = Code(rawValue: "bad-length")
        /// Fewer bytes than the header announced or the operation needs.
        package static let truncated = Code(rawValue: "truncated")
        /// A path that is empty, holds a NUL, is too long or is not UTF-8.
        package static let badPath = Code(rawValue: "bad-path")
        /// An argument outside of what the protocol defines, or bytes left over.
        package static let badArgument = Code(rawValue: "bad-argument")
        /// The operation has no codec here.
        package static let unknownOperation = Code(rawValue: "unknown-operation")
        /// A reply whose content is not what its kind requires.
        package static let malformedReply = Code(rawValue: "malformed-reply")
    }

    /// The kind of failure.
    package var code: Code
    /// What was wrong, in one sentence with the figures.
    package var message: String
    /// The operation concerned, where one was known.
    package var subject: AFCOperation?

    /// Describes a failure.
    package init(_ code: Code, _ message: String, subject: AFCOperation? = nil) {
        self.code = code
        self.message = message
        self.subject = subject
    }

    /// True when the boundary between packets is lost, so that the connection must be closed.
    package var losesSynchronisation: Bool { code == .badMagic || code == .badLength }
}

extension AFCWireError: CustomStringConvertible {
    /// The message, with the operation before it where known.
    package var description: String { subject.map { "\($0.name): \(message)" } ?? message }
}
