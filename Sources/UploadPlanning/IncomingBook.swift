import OverlayKit

/// A book that is to be uploaded, as far as decisions need it.
public struct IncomingBook: Sendable {
    /// Which input item, from 0.
    public var index: Int
    /// The name of its file, for the log.
    public var name: String
    /// Its own id in lower case; nil if it has none that counts in the app.
    public var uuid: String?
    /// What only files with the very same bytes have in common.
    public var content: String
    /// Its title, for which an app of files takes the file's name where the book tells none.
    public var title: String?
    /// Its authors; empty: not known.
    public var authors: [String]
    /// The folder it goes into, where the app has folders.
    public var folder: String?
    /// The kind of file, such as `epub`, where the app takes several; nil where it takes one.
    public var format: String?
    /// Where the book on the device is that it replaces, as the host names it; nil: it is to be found.
    public var replacedPath: String?

    /// A book.
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

/// A book on the device, as far as decisions need it.
public struct PresentBook<Key: Hashable & Sendable>: Sendable {
    /// What the app's overlay knows it by.
    public var key: Key
    /// Its path, as rows name it.
    public var path: String
    /// Its title; nil if it is not known.
    public var title: String?
    /// Its authors; empty: not known.
    public var authors: [String]
    /// The kind of file, such as `epub`; nil: not known, or the app takes one kind only.
    public var format: String?

    /// A book.
    public init(_ key: Key, path: String, title: String?, authors: [String], format: String? = nil) {
        self.key = key
        self.path = path
        self.title = title
        self.authors = authors
        self.format = format
    }

    /// Its title, if the rule that found it says that the incoming book has another title.
    public func title(ifOther rule: MatchRule) -> String? { rule == .uuidAlone ? title : nil }

    /// Whether a file of an incoming book's kind could take the place of this one.
    func hasFormat(of book: IncomingBook) -> Bool {
        guard let format, let incoming = book.format else { return true }
        return format == incoming
    }
}

/// A book on the device that may be another edition of an incoming one, by title and authors.
public struct NamedBook<Key: Hashable & Sendable>: Sendable {
    /// The book.
    public var book: PresentBook<Key>
    /// What title and authors tell; never `none`.
    public var similarity: BookSimilarity
    /// Whether it has the place that the incoming one would get, such as its folder and file name.
    public var isNear: Bool

    /// A book.
    public init(_ book: PresentBook<Key>, _ similarity: BookSimilarity, isNear: Bool) {
        self.book = book
        self.similarity = similarity
        self.isNear = isNear
    }
}
