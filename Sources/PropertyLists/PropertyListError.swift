import Diagnostics

/// Why bytes are not a property list, or a property list cannot be written.
package typealias PropertyListError = Failure<PropertyListErrorCode>

/// The kind of a `PropertyListError`.
package struct PropertyListErrorCode: FailureCode {
    /// Lower case words joined by `_`; never renamed.
    package let rawValue: String

    /// A code by its text; any text is a code.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The bytes are not a property list, or a damaged one.
    package static let malformed = Self(rawValue: "malformed")
    /// The list exceeds a limit.
    package static let tooLarge = Self(rawValue: "too_large")
    /// The list holds something that this module does not read, or that its form cannot hold.
    package static let unsupported = Self(rawValue: "unsupported")
}
