import OverlayKit

/// What happens with an incoming book.
public enum UploadDecision<Key: Hashable & Sendable>: Sendable {
    /// It is sent. The remarks, whole sentences, go into its row.
    case send(UploadTarget<Key>, remarks: [String])
    /// Its content is there already, and replacing is asked for: it is sent again, moves to where it was asked for, or stays, as
    /// the overlay has it.
    case refresh(PresentBook<Key>)
    /// It is there; only what is known about it beside the file is brought up to date. The remark, a sentence, goes into its row.
    case update(PresentBook<Key>, remark: String?)
    /// It counts as the book of an earlier item and gets the same outcome; the message says why.
    case same(as: Int, message: String)
    /// It is there and is left alone.
    case skip(PresentBook<Key>, MatchRule)
    /// It is there, but which of several books it is cannot be told, and none is changed.
    case skipAmbiguous([PresentBook<Key>], message: String)
    /// It fails; with the book it would have changed.
    case fail(OverlayError, PresentBook<Key>?)
}

/// Where a book that is sent goes.
public enum UploadTarget<Key: Hashable & Sendable>: Sendable {
    /// To a new place.
    case new
    /// To the place of a book on the device.
    case present(PresentBook<Key>)
    /// To the place of an earlier item of the upload, by its index, which it replaces.
    case earlier(Int)
}

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
    /// Whether `replace` is more than skipping a file that is there with the same content, for what is known about it, or the place
    /// that it was asked for, may be new: `UploadDecision.refresh`.
    public var refreshesSameContent: Bool
    /// Whether `update` and `replace` mean a book of the same title and place without known authors.
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
