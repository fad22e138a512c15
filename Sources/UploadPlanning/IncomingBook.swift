import OverlayKit

/// A book to upload, with the facts that decisions need.
public struct IncomingBook: Sendable {
    /// The index of the input item, from 0.
    public var index: Int
    /// The name of its file, used in the log.
    public var name: String
    /// Its own id in lower case; nil if it has none that the app uses.
    public var uuid: String?
    /// A key that only files with exactly the same bytes share.
    public var content: String
    /// Its title. If the book has none, an app that stores files uses the file's name.
    public var title: String?
    /// Its authors; empty if they are not known.
    public var authors: [String]
    /// The folder of the book, if the app has folders.
    public var folder: String?
    /// The file format, such as `epub`, if the app supports several; otherwise nil.
    public var format: String?
    /// The path, as the host names it, of the book on the device to replace; nil if the planner finds the book.
    public var replacedPath: String?

    /// Creates a book.
    public init(
        index: Int, name: String, uuid: String?, content: String, title: String?, authors: [String],
        folder: String? = nil, format: String? = nil, replacedPath: String? = nil
    ) {
        self.index = index
        self.name = name
        self.uuid = uuid
        self.content = content
        self.title = title
        self.authors = authors
        self.folder = folder
        self.format = format
        self.replacedPath = replacedPath
    }
}

/// A book on the device, with the facts that decisions need.
public struct PresentBook<Key: Hashable & Sendable>: Sendable {
    /// The key with which the app's overlay identifies it.
    public var key: Key
    /// Its path, as rows show it.
    public var path: String
    /// Its title; nil if it is not known.
    public var title: String?
    /// Its authors; empty if they are not known.
    public var authors: [String]
    /// The file format, such as `epub`; nil if it is unknown or the app supports only one.
    public var format: String?

    /// Creates a book.
    public init(_ key: Key, path: String, title: String?, authors: [String], format: String? = nil) {
        self.key = key
        self.path = path
        self.title = title
        self.authors = authors
        self.format = format
    }

    /// Its title, if the rule that found it says that the incoming book has a different one; otherwise nil.
    public func title(ifOther rule: MatchRule) -> String? { rule == .uuidAlone ? title : nil }

    /// Whether a file in the incoming book's format could replace this one.
    func hasFormat(of book: IncomingBook) -> Bool {
        guard let format, let incoming = book.format else { return true }
        return format == incoming
    }
}

/// A book on the device that may be another edition of an incoming one, judged by title and authors.
public struct NamedBook<Key: Hashable & Sendable>: Sendable {
    /// The book.
    public var book: PresentBook<Key>
    /// The similarity of title and authors; never `none`.
    public var similarity: BookSimilarity
    /// Whether it already has the place of the incoming book, for example the same folder and file name.
    public var isNear: Bool

    /// Creates a candidate.
    public init(_ book: PresentBook<Key>, _ similarity: BookSimilarity, isNear: Bool) {
        self.book = book
        self.similarity = similarity
        self.isNear = isNear
    }
}
