import Diagnostics

/// Why nothing of an XML document could be read. `native` is libxml2's number.
package typealias MarkupError = Failure<MarkupErrorCode>

/// The kind of a `MarkupError`.
package struct MarkupErrorCode: FailureCode {
    /// Lower case words joined by `_`; never renamed.
    package let rawValue: String

    /// A code by its text; any text is a code.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The document has no root element.
    package static let malformed = Self(rawValue: "malformed")
    /// The document has more bytes, or one element more attributes, than are accepted.
    package static let tooLarge = Self(rawValue: "too_large")
}
