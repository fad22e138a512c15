/// Why a recording cannot be made, read or replayed.
package struct TraceError: Error, Sendable, Equatable {
    /// What kind of failure it is: an open set, compared by its text.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// Lower case words joined by `_`.
        package let rawValue: String

        /// A code by its text.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The file cannot be opened or read.
        package static let unreadable = Self(rawValue: "unreadable")
        /// The file is no recording.
        package static let noRecording = Self(rawValue: "no_recording")
        /// The recording was made by another version of this program, and cannot be read by this one.
        package static let otherVersion = Self(rawValue: "other_version")
        /// What stands in the file is no record of a recording.
        package static let damaged = Self(rawValue: "damaged")
        /// The file cannot be made.
        package static let notCreated = Self(rawValue: "not_created")
        /// The file has something else in it, which is not to be lost.
        package static let exists = Self(rawValue: "exists")
        /// What would be needed was not recorded.
        package static let notRecorded = Self(rawValue: "not_recorded")
    }

    /// The kind.
    package var code: Code
    /// One sentence for a person.
    package var message: String
    /// What the person can do; nil when nothing sensible is known.
    package var hint: String?
    /// `errno`, if the system refused something.
    package var system: Int32?

    /// An error of `code`.
    package init(_ code: Code, _ message: String, hint: String? = nil, system: Int32? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.system = system
    }
}
