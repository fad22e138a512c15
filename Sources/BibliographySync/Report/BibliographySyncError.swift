import Diagnostics

/// Why a bibliography, a paper or a whole run failed.
public typealias BibliographySyncError = Failure<BibliographySyncErrorCode>

/// The kind of failure.
public struct BibliographySyncErrorCode: FailureCode {
    /// The text of the code.
    public let rawValue: String

    /// Creates a code from any text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A file is not the one that was read, because another program changed it. Nothing was done.
    public static let changed = Self(rawValue: "changed")
    /// The file or folder does not exist.
    public static let notFound = Self(rawValue: "not_found")
    /// A bibliography has an error that would keep the app from showing it.
    public static let malformed = Self(rawValue: "malformed")
    /// A bibliography that had entries is empty, or a folder that had bibliographies has none.
    public static let emptied = Self(rawValue: "emptied")
    /// The run would delete more than the allowed share.
    public static let tooManyDeletions = Self(rawValue: "too_many_deletions")
    /// A file is larger than the limit.
    public static let tooLarge = Self(rawValue: "too_large")
    /// A file or folder cannot be read or written.
    public static let failed = Self(rawValue: "failed")
    /// The disk or device is full.
    public static let noSpace = Self(rawValue: "no_space")
    /// A side cannot be reached any more. The run ends, and the next one continues.
    public static let disconnected = Self(rawValue: "disconnected")
    /// The run was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// The stored state of the last run cannot be read.
    public static let damagedState = Self(rawValue: "damaged_state")
}

extension BibliographySyncError {
    /// Whether the error ends the run, because no further work is possible or requested.
    var endsRun: Bool { code == .cancelled || code == .disconnected }
}
