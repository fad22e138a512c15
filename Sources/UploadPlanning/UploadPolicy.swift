import OverlayKit

/// What an app can do with books that are there, as far as uploads differ by it.
public struct UploadPolicy: Sendable {
    /// What `update` does with a book that is there.
    public enum Update: Sendable {
        /// Nothing: the app's own record of a book cannot be changed alone.
        case leavesAlone
        /// The app's record of the book changes, and the file stays.
        case changesMetadata
        /// A file with other content takes the place of the one that is there.
        case putsFile
    }

    /// The app's name, for sentences.
    public var app: String
    /// Where books are compared, for sentences, such as `in Kindle`.
    public var place: String
    /// Whether contents are compared before ids, because that costs no requests.
    public var comparesContentFirst: Bool
    /// What `update` does.
    public var update: Update
    /// Whether `replace` is more than skipping a file that is there with the same content, for what is known of it, or the place
    /// that it was asked for, may be new: `UploadDecision.refresh`.
    public var refreshesSameContent: Bool
    /// Whether `update` and `replace` mean a book of the same title and place whose authors are not known.
    public var titleAloneReplaces: Bool
    /// What the log names when no book is the incoming one.
    public var rules: String
    /// Why books that are there cannot be changed; nil: they can.
    public var refusal: OverlayError?

    /// A policy.
    public init(
        app: String, place: String, comparesContentFirst: Bool, update: Update, refreshesSameContent: Bool,
        titleAloneReplaces: Bool, rules: String, refusal: OverlayError? = nil
    ) {
        self.app = app
        self.place = place
        self.comparesContentFirst = comparesContentFirst
        self.update = update
        self.refreshesSameContent = refreshesSameContent
        self.titleAloneReplaces = titleAloneReplaces
        self.rules = rules
        self.refusal = refusal
    }
}
