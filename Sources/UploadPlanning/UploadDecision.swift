import OverlayKit

/// The decision about an incoming book.
public enum UploadDecision<Key: Hashable & Sendable>: Sendable {
    /// The book is sent. The remarks are whole sentences for its row.
    case send(UploadTarget<Key>, remarks: [String])
    /// The content is on the device already and `replace` is requested. The overlay decides whether to send the book
    /// again, move it to the requested place, or leave it.
    case refresh(PresentBook<Key>)
    /// The book is on the device, and only its metadata outside the file is updated. The remark is a sentence for its
    /// row.
    case update(PresentBook<Key>, remark: String?)
    /// The item is the same book as an earlier item and gets the same outcome; the message contains the reason.
    case same(as: Int, message: String)
    /// The book is on the device and is not changed.
    case skip(PresentBook<Key>, MatchRule)
    /// Several books on the device may be the book, so none of them is changed.
    case skipAmbiguous([PresentBook<Key>], message: String)
    /// The item fails. The book is the one that it would have changed.
    case fail(OverlayError, PresentBook<Key>?)
}

/// The place to which a book is sent.
public enum UploadTarget<Key: Hashable & Sendable>: Sendable {
    /// A new place.
    case new
    /// The place of a book on the device.
    case present(PresentBook<Key>)
    /// The place of an earlier item of the upload, given by its index.
    case earlier(Int)
}

/// The abilities of an app that are relevant for uploads.
public struct UploadPolicy: Sendable {
    /// The effect of `update` on a book that is on the device.
    public enum Update: Sendable {
        /// Nothing, because the app's own record of a book cannot be changed separately.
        case leavesAlone
        /// The app's record of the book changes; the file stays.
        case changesMetadata
        /// A file with other content replaces the one on the device.
        case putsFile
    }

    /// The app's name, used in messages.
    public var app: String
    /// The place where books are compared, such as `in Kindle`, for messages.
    public var place: String
    /// Whether to compare contents before ids, because that needs no requests to the device.
    public var comparesContentFirst: Bool
    /// The effect of `update`.
    public var update: Update
    /// Whether `replace` does more than skip a file with the same content, because its metadata or the requested
    /// place may be new: `UploadDecision.refresh`.
    public var refreshesSameContent: Bool
    /// Whether `update` and `replace` apply to a book with the same title and place whose authors are not known.
    public var titleAloneReplaces: Bool
    /// The rules that the log mentions if no book is the incoming one.
    public var rules: String
    /// The reason why books on the device cannot be changed; nil if they can.
    public var refusal: OverlayError?

    /// Creates a policy.
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
