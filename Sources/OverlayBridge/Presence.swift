import OverlayABI

/// The answer of `canHandle`. The Swift form of `ovl_presence`.
///
/// ```swift
/// let presence = Presence.notNow(
///     .appOffline, "Paperboat is not running.", hint: "Open Paperboat on the device.")
/// ```
public struct Presence: Hashable, Sendable {
    /// Whether the device can be served now: `OVL_PRESENCE_…`. An open set; treat an unknown value as `no`.
    public struct Answer: RawRepresentable, Hashable, Sendable {
        /// The number in the C contract.
        public var rawValue: UInt32

        /// Creates an answer from its number in the C contract.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// This overlay cannot serve the device.
        public static let no = Answer(rawValue: OVL_PRESENCE_NO)
        /// The device can be served now.
        public static let yes = Answer(rawValue: OVL_PRESENCE_YES)
        /// The device can be served when the reason no longer applies.
        public static let notNow = Answer(rawValue: OVL_PRESENCE_NOT_NOW)

        /// All answers above.
        package static let known: Set<Answer> = [.no, .yes, .notNow]
    }

    /// The reason why the device cannot be served, or not now: `OVL_REASON_…`. An open set.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// The number in the C contract.
        public var rawValue: UInt32

        /// Creates a reason from its number in the C contract.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// There is no reason.
        public static let none = Reason(rawValue: OVL_REASON_NONE)
        /// The reader app is not running.
        public static let appOffline = Reason(rawValue: OVL_REASON_APP_OFFLINE)
        /// The reader app is running, but not in its connection mode.
        public static let notInConnectionMode = Reason(rawValue: OVL_REASON_NOT_IN_CONNECTION_MODE)
        /// The reader app is not installed.
        public static let appMissing = Reason(rawValue: OVL_REASON_APP_MISSING)
        /// iOS refuses access to the reader app's files.
        public static let accessRefused = Reason(rawValue: OVL_REASON_ACCESS_REFUSED)
        /// The user ejected the device.
        public static let ejected = Reason(rawValue: OVL_REASON_EJECTED)

        /// All reasons above.
        package static let known: Set<Reason> = [
            .none, .appOffline, .notInConnectionMode, .appMissing, .accessRefused, .ejected,
        ]
    }

    /// Whether the device can be served now.
    public var answer: Answer
    /// The reason why the device cannot be served, or not now.
    public var reason: Reason
    /// One sentence for the user.
    public var message: String?
    /// What the user can do.
    public var hint: String?
    /// The version that the reader app reports; nil if it does not.
    public var appVersion: String?

    /// Creates an answer with all values.
    public init(
        answer: Answer, reason: Reason = .none, message: String? = nil, hint: String? = nil,
        appVersion: String? = nil
    ) {
        self.answer = answer
        self.reason = reason
        self.message = message
        self.hint = hint
        self.appVersion = appVersion
    }

    /// Creates the answer that the device can be served now.
    public static func yes(appVersion: String? = nil) -> Presence {
        Presence(answer: .yes, appVersion: appVersion)
    }

    /// Creates the answer that this overlay cannot serve the device.
    public static func no(_ reason: Reason, _ message: String, hint: String? = nil) -> Presence {
        Presence(answer: .no, reason: reason, message: message, hint: hint)
    }

    /// Creates the answer that the device can be served when the reason no longer applies.
    public static func notNow(
        _ reason: Reason, _ message: String, hint: String? = nil, appVersion: String? = nil
    ) -> Presence {
        Presence(answer: .notNow, reason: reason, message: message, hint: hint, appVersion: appVersion)
    }
}

extension Presence {
    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_presence {
        var record = ovl_presence.sized()
        record.answer = answer.rawValue
        record.reason = reason.rawValue
        record.message = arena.text(message)
        record.hint = arena.text(hint)
        record.app_version = arena.text(appVersion)
        return record
    }
}
