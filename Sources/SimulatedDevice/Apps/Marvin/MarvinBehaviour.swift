/// How a simulated Marvin behaves or misbehaves. The behaviour may be changed while the app runs.
public struct MarvinBehaviour: Sendable, Equatable {
    /// The state that `connected.xml` reports.
    public enum Connection: String, Sendable, Equatable, CaseIterable {
        /// The connection screen is open.
        case online
        /// The app is in the background, or the device sleeps.
        case offline
        /// The user left the connection screen, so the file does not exist.
        case absent
    }

    /// An event in the middle of a command, after `interruptionAfter` books.
    public enum Interruption: String, Sendable, Equatable, CaseIterable {
        /// `connected.xml` reports offline; the command and `status.xml` stay unchanged.
        case goesOffline
        /// The user leaves the connection screen; the command and `status.xml` stay unchanged.
        case leavesConnectionMode
        /// The app is killed: nothing changes until the behaviour is set again.
        case dies
        /// The user stops the command, which ends with code 3.
        case cancels
    }

    /// The state that `connected.xml` reports.
    public var connection = Connection.online
    /// Whether the app takes commands. If false, it appears online but never takes one.
    public var answers = true
    /// The event in the middle of the next command; it happens once.
    public var interruption: Interruption?
    /// The number of books after which the interruption happens, 0 or more.
    public var interruptionAfter = 1
    /// Whether the app deletes the command file. If false, it dies after the final status and before the deletion.
    public var deletesCommand = true
    /// Whether each `status.xml` appears truncated at first, until a reader has read it or a second has passed.
    public var writesHalfStatus = false
    /// Messages that every command ends with; its code is then 1.
    public var warnings: [String] = []
    /// The message of a failure with code 2, in which case nothing is done; nil for no failure.
    public var failure: String?
    /// The time spent on each book.
    public var timePerBook = Duration.zero

    /// Whether the app adds EPUBs among the documents that are not in the library, when it starts and each time its
    /// behaviour is set. If false, it ignores them, and opens no library before a command needs it.
    public var adoptsDocuments = false

    /// Creates the behaviour of an app that carries out all commands.
    public init() {}

    /// The misbehaviours by name, for command lines and test tables.
    public static let named: [(name: String, behaviour: MarvinBehaviour)] = [
        ("normal", MarvinBehaviour()),
        ("offline", with { $0.connection = .offline }),
        ("not-in-connection-mode", with { $0.connection = .absent }),
        ("never-answers", with { $0.answers = false }),
        ("goes-offline", with { $0.interruption = .goesOffline }),
        ("leaves-connection-mode", with { $0.interruption = .leavesConnectionMode }),
        ("dies", with { $0.interruption = .dies }),
        ("dies-before-deleting-the-command", with { $0.deletesCommand = false }),
        ("cancelled", with { $0.interruption = .cancels }),
        ("half-written-status", with { $0.writesHalfStatus = true }),
        ("warnings", with { $0.warnings = ["The library is nearly full."] }),
        ("failure", with { $0.failure = "The library cannot be opened." }),
        ("slow", with { $0.timePerBook = .seconds(1) }),
        ("adopts-documents", with { $0.adoptsDocuments = true }),
    ]

    /// Creates the behaviour of that name; nil if there is none.
    public init?(named name: String) {
        guard let entry = MarvinBehaviour.named.first(where: { $0.name == name }) else { return nil }
        self = entry.behaviour
    }

    private static func with(_ change: (inout MarvinBehaviour) -> Void) -> MarvinBehaviour {
        var behaviour = MarvinBehaviour()
        change(&behaviour)
        return behaviour
    }
}
