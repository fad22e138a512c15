import Diagnostics
import Platform

/// Why a recording cannot be made, read or replayed.
package typealias TraceError = Failure<TraceErrorCode>

/// The kind of a `TraceError`.
package struct TraceErrorCode: FailureCode {
    /// Lower case words joined by `_`.
    package let rawValue: String

    /// A code by its text; any text is a code.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The file cannot be opened or read.
    package static let unreadable = Self(rawValue: "unreadable")
    /// The file is not a recording.
    package static let noRecording = Self(rawValue: "no_recording")
    /// The recording was made by another version of this program, and cannot be read by this one.
    package static let otherVersion = Self(rawValue: "other_version")
    /// The file does not continue with a record of a recording.
    package static let damaged = Self(rawValue: "damaged")
    /// The file cannot be created.
    package static let notCreated = Self(rawValue: "not_created")
    /// The file holds something else, which must not be lost.
    package static let exists = Self(rawValue: "exists")
    /// What would be needed was not recorded.
    package static let notRecorded = Self(rawValue: "not_recorded")
}

extension Failure where Code == TraceErrorCode {
    /// A recording that the system does not let the program read.
    static func unreadable(_ number: Int32) -> TraceError {
        TraceError(
            .unreadable, "Cannot read the recording: \(systemText(number)).", native: .posix(number))
    }

    /// A recording that the system does not let the program create.
    static func notCreated(_ number: Int32) -> TraceError {
        TraceError(
            .notCreated, "Cannot create the recording: \(systemText(number)).", native: .posix(number))
    }
}
