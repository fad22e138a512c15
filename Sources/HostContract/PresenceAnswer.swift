import OverlayABI

/// An overlay's answer to "can you handle this device now?", checked and copied.
package struct PresenceAnswer: Sendable, Equatable {
    /// The answer.
    package enum Answer: UInt32, Sendable, CaseIterable {
        /// Not this device.
        case no = 0
        /// Yes, now.
        case yes = 1
        /// This device, but not now.
        case notNow = 2
    }

    /// Why not, or not now.
    package enum Reason: UInt32, Sendable, CaseIterable {
        /// No reason given.
        case none = 0
        /// The reader app says it is offline, or does not run.
        case appOffline = 1
        /// The reader app runs, but its person has not opened the connection.
        case notInConnectionMode = 2
        /// The reader app is not on the device.
        case appMissing = 3
        /// iOS does not let the overlay where it has to go.
        case accessRefused = 4
        /// The person ended the connection.
        case ejected = 5
    }

    /// The answer.
    package var answer: Answer
    /// Why not.
    package var reason: Reason
    /// One sentence.
    package var message: String?
    /// What to do.
    package var hint: String?
    /// Version of the reader app as it reports itself.
    package var appVersion: String?

    /// An answer with its reason and words for a person.
    package init(
        _ answer: Answer, _ reason: Reason = .none, message: String? = nil, hint: String? = nil,
        appVersion: String? = nil
    ) {
        self.answer = answer
        self.reason = reason
        self.message = message
        self.hint = hint
        self.appVersion = appVersion
    }

    /// The answer in a record of the ABI.
    package init(_ record: ovl_presence) throws(ContractBreach) {
        guard let answer = Answer(rawValue: record.answer) else {
            throw ContractBreach(.resultValue, "The answer \(record.answer) does not exist.")
        }
        guard let reason = Reason(rawValue: record.reason) else {
            throw ContractBreach(.resultValue, "The reason \(record.reason) does not exist.")
        }
        self.init(
            answer, reason, message: record.message.readMessage(), hint: record.hint.readMessage(),
            appVersion: try record.app_version.read("app_version"))
    }
}
