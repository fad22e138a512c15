/// How a simulated Marvin behaves, and how it misbehaves; may be changed while it runs.
public struct MarvinBehaviour: Sendable, Equatable {
    /// What `connected.xml` says.
    public enum Connection: String, Sendable, Equatable, CaseIterable {
        /// The connection screen is open.
        case online
        /// The app is in the background or the device sleeps.
        case offline
        /// The user left the connection screen: there is no file.
        case absent
    }

    /// What happens in the middle of a command, after `interruptionAfter` books.
    public enum Interruption: String, Sendable, Equatable, CaseIterable {
        /// `connected.xml` says offline; the command and `status.xml` stay as they are.
        case goesOffline
        /// The user leaves the connection screen; the command and `status.xml` stay as they are.
        case leavesConnectionMode
        /// The app is killed: nothing changes any more until the behaviour is set anew.
        case dies
        /// The user stops the command: it ends with code 3.
        case cancels
    }

    /// What `connected.xml` says.
    public var connection = Connection.online
    /// False to show the app online and yet never take a command.
    public var answers = true
    /// What happens in the middle of the next command; it happens once.
    public var interruption: Interruption?
    /// After how many books the interruption happens, 0 or more.
    public var interruptionAfter = 1
    /// False to die after the final status, before the command file is deleted.
    public var deletesCommand = true
    /// True to show each `status.xml` cut off first, until a reader has seen it or a second has passed.
    public var writesHalfStatus = false
    /// Messages to end every command with; the code is then 1.
    public var warnings: [String] = []
    /// The message of a failure with code 2; nothing is done. Nil for no failure.
    public var failure: String?
    /// Time spent on each book.
    public var timePerBook = Duration.zero

    /// True to take in, at its start and whenever its behaviour is set, EPUBs that lie among the documents and are not in the
    /// library. False leaves them alone, and opens no library before a command needs it.
    public var adoptsDocuments = false

    /// An app that does what it is asked.
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

    /// The behaviour of that name, or nil.
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
