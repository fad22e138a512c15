@_exported import Diagnostics

/// The reason why a search index cannot be used.
public typealias SearchError = Failure<SearchErrorCode>

/// The kind of a `SearchError`.
public struct SearchErrorCode: FailureCode {
    /// The text of the code: lower case words joined by `_`. Codes are never renamed.
    public let rawValue: String

    /// Creates a code from its text; any text is valid.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The file cannot be read or written.
    public static let inaccessible = Self(rawValue: "inaccessible")
    /// Another program has used the file for too long.
    public static let busy = Self(rawValue: "busy")
    /// The file is damaged.
    public static let damaged = Self(rawValue: "damaged")
}

extension Failure where Code == SearchErrorCode {
    /// Whether rebuilding the index would help.
    var isDamage: Bool { code == .damaged }
}
