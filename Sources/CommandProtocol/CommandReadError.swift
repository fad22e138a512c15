import Diagnostics

/// Why a protocol file could not be read. `native` holds libxml2's error number, if libxml2 found it.
package typealias CommandReadError = Failure<CommandReadErrorCode>

/// The kinds of ``CommandReadError``: an open set.
package struct CommandReadErrorCode: FailureCode {
    /// The text of the code.
    package let rawValue: String

    /// A code by its text.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The file is empty or ends before its root element does: the other side is still writing, so read it again.
    package static let incomplete = Self(rawValue: "incomplete")
    /// The file is not well-formed XML, even after the known typing errors were repaired.
    package static let malformed = Self(rawValue: "malformed")
    /// The file has more bytes or elements than a file of its kind may have.
    package static let tooLarge = Self(rawValue: "too_large")
    /// Elements are nested deeper than the protocol nests them.
    package static let tooDeep = Self(rawValue: "too_deep")
    /// The file declares a document type, through which entities could be defined.
    package static let documentType = Self(rawValue: "document_type")
    /// The file is well-formed but has another root element than expected.
    package static let unexpectedRoot = Self(rawValue: "unexpected_root")
    /// A value without which the file has no meaning is missing or unreadable.
    package static let missingValue = Self(rawValue: "missing_value")
}

extension Failure where Code == CommandReadErrorCode {
    /// An error of libxml2.
    init(_ code: Code, _ message: String, subject: String, libxml2 number: Int32) {
        self.init(
            code, message, subject: subject, isRetryable: code == .incomplete,
            native: NativeCode(NativeCode.Domain(rawValue: "libxml2"), Int64(number)))
    }
}
