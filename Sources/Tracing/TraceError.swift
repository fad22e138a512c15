import Diagnostics
import Platform

/// Why a recording cannot be made, read or replayed.
package typealias TraceError = Failure<TraceErrorCode>

/// The kind of a `TraceError`.
package struct TraceErrorCode: FailureCode {
    /// Lower case words joined by `_`.
    package let rawValue: String

    /// Creates a code from any text.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The file cannot be opened or read.
    package static let unreadable = Self(rawValue: "unreadable")
    /// The file is not a recording.
    package static let noRecording = Self(rawValue: "no_recording")
    /// Another version of this program made the recording, and this one cannot read it.
    package static let otherVersion = Self(rawValue: "other_version")
    /// The file has something other than a record at this position.
    package static let damaged = Self(rawValue: "damaged")
    /// The file cannot be created.
    package static let notCreated = Self(rawValue: "not_created")
    /// The file has other content, which must not be overwritten.
    package static let exists = Self(rawValue: "exists")
    /// The required data was not recorded.
    package static let notRecorded = Self(rawValue: "not_recorded")
}

extension Failure where Code == TraceErrorCode {
    /// The error if the system does not allow the recording to be read.
    static func unreadable(_ number: Int32) -> TraceError {
        TraceError(.unreadable, fileProblem("Cannot read the recording", number), native: .posix(number))
    }

    /// The error if the system does not allow the recording to be created.
    static func notCreated(_ number: Int32) -> TraceError {
        TraceError(
            .notCreated, "Cannot create the recording: \(systemText(number)).", native: .posix(number))
    }
}
