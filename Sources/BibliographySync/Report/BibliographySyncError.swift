import Diagnostics

/// Why a bibliography, a paper or a whole run failed.
public typealias BibliographySyncError = Failure<BibliographySyncErrorCode>

/// What kind of failure it is.
public struct BibliographySyncErrorCode: FailureCode {
    /// The text of the code.
    public let rawValue: String

    /// A code by its text; any text is a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A file is not the one that was read: another program has changed it. Nothing was done.
    public static let changed = Self(rawValue: "changed")
    /// There is no such file or folder.
    public static let notFound = Self(rawValue: "not_found")
    /// A bibliography has an error that would hide it in the app.
    public static let malformed = Self(rawValue: "malformed")
    /// A bibliography that had entries has none any more, or a folder that had bibliographies.
    public static let emptied = Self(rawValue: "emptied")
    /// The run would delete more than its share.
    public static let tooManyDeletions = Self(rawValue: "too_many_deletions")
    /// A file is larger than what is read.
    public static let tooLarge = Self(rawValue: "too_large")
    /// A file or folder cannot be read or written.
    public static let failed = Self(rawValue: "failed")
    /// There is no room left.
    public static let noSpace = Self(rawValue: "no_space")
    /// A side cannot be reached any more. The run ends, and the next one goes on.
    public static let disconnected = Self(rawValue: "disconnected")
    /// The run was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// What is noted from the last run cannot be read.
    public static let damagedState = Self(rawValue: "damaged_state")
}

extension BibliographySyncError {
    /// Whether the run ends: nothing more can be done, or is wanted.
    var endsRun: Bool { code == .cancelled || code == .disconnected }
}
