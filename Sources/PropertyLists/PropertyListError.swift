import Diagnostics

/// The reason why bytes cannot be read as a property list, or a property list cannot be written.
package typealias PropertyListError = Failure<PropertyListErrorCode>

/// The kind of a `PropertyListError`.
package struct PropertyListErrorCode: FailureCode {
    /// The text of the code: lower case words joined by `_`. Codes are never renamed.
    package let rawValue: String

    /// Creates a code from its text; any text is valid.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The bytes are not a property list, or are damaged.
    package static let malformed = Self(rawValue: "malformed")
    /// The list exceeds a limit.
    package static let tooLarge = Self(rawValue: "too_large")
    /// The list contains values that this module does not read, or that the form cannot represent.
    package static let unsupported = Self(rawValue: "unsupported")
}
