import Diagnostics

/// The reason why a protocol file could not be read. `native` contains libxml2's error number, if there is one.
package typealias CommandReadError = Failure<CommandReadErrorCode>

/// The kinds of ``CommandReadError``: an open set.
package struct CommandReadErrorCode: FailureCode {
    /// The text of the code.
    package let rawValue: String

    /// Creates a code from its text.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The file is empty or ends before its root element ends, because the other side is still writing. Read it
    /// again.
    package static let incomplete = Self(rawValue: "incomplete")
    /// The file is not well-formed XML, even after the known typing errors were repaired.
    package static let malformed = Self(rawValue: "malformed")
    /// The file has more bytes or elements than allowed for its kind.
    package static let tooLarge = Self(rawValue: "too_large")
    /// Elements are nested deeper than in the protocol.
    package static let tooDeep = Self(rawValue: "too_deep")
    /// The file declares a document type, which could define entities.
    package static let documentType = Self(rawValue: "document_type")
    /// The file is well-formed but has another root element than expected.
    package static let unexpectedRoot = Self(rawValue: "unexpected_root")
    /// A required value is missing or unreadable.
    package static let missingValue = Self(rawValue: "missing_value")
}

extension Failure where Code == CommandReadErrorCode {
    /// Creates an error for an error number of libxml2.
    init(_ code: Code, _ message: String, subject: String, libxml2 number: Int32) {
        self.init(
            code, message, subject: subject, isRetryable: code == .incomplete,
            native: NativeCode(NativeCode.Domain(rawValue: "libxml2"), Int64(number)))
    }
}
