/// Why a protocol file could not be read.
package struct CommandReadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// The kind's text, which never changes.
        package let rawValue: String

        /// A kind by its text; any text is a kind.
        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The file is empty or stops before its root element ends: the other side is still writing; read it again.
        package static let incomplete = Code(rawValue: "incomplete")
        /// The file is no well-formed XML, even after the known typing errors were repaired.
        package static let malformed = Code(rawValue: "malformed")
        /// The file has more bytes or elements than a file of its kind may have.
        package static let tooLarge = Code(rawValue: "too-large")
        /// Elements are nested deeper than the protocol knows.
        package static let tooDeep = Code(rawValue: "too-deep")
        /// The file declares a document type, through which entities could be defined.
        package static let documentType = Code(rawValue: "document-type")
        /// The file is well-formed but its root element is another one than expected.
        package static let unexpectedRoot = Code(rawValue: "unexpected-root")
        /// A value without which the file has no meaning is missing or unreadable.
        package static let missingValue = Code(rawValue: "missing-value")
    }

    /// The kind of failure.
    package let code: Code
    /// One sentence for a person.
    package let message: String
    /// The file or element the failure is about.
    package let subject: String
    /// What to do about it, or nil.
    package let hint: String?
    /// libxml2's error number, or nil when the failure was found by other means.
    package let nativeCode: Int32?

    /// An error about `subject`, with the XML parser's own number if it had one.
    package init(
        _ code: Code, _ message: String, subject: String, hint: String? = nil, nativeCode: Int32? = nil
    ) {
        self.code = code
        self.message = message
        self.subject = subject
        self.hint = hint
        self.nativeCode = nativeCode
    }

    /// True when reading the file again later may succeed.
    package var isIncomplete: Bool { code == .incomplete }

    /// The subject and the message.
    package var description: String { "\(subject): \(message)" }
}
