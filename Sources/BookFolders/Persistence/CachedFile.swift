import JSON
import OverlayBridge
import OverlayKit

/// What is known about a file from an earlier look, valid as long as its path, size and time are the same.
public struct CachedFile: Hashable, Sendable {
    /// How much of the file was read, and what that gave.
    public enum ReadState: Hashable, Sendable {
        /// The file was not read yet.
        case unread
        /// A book of this media type by its content; its metadata was not read yet.
        case recognised(String)
        /// A book, with the metadata in it.
        case book(CompactBook)
        /// A book that cannot be read, and why; not tried again until the file changes.
        case unreadable(String)
        /// Not a book, even if its name says so.
        case noBook
    }

    /// Where the file was.
    public var path: ShelfPath
    /// Its bytes.
    public var size: UInt64
    /// When its content changed, in nanoseconds since 1970-01-01 00:00 UTC.
    public var modified: Int64
    /// When it was made, in the same unit; 0 if not known.
    public var created: Int64
    /// What identifies its content; nil if it was not needed yet.
    public var fingerprint: ContentFingerprint?
    /// The digest of all its bytes; nil if it was not needed yet.
    public var digest: String?
    /// What the host that sent it calls its content; nil if it was not sent from here.
    public var contentID: String?
    /// What a look into it gave.
    public var readState: ReadState
    /// Whether what is known about the book came from elsewhere, such as a cache of its app: what the file says does not take its
    /// place.
    public var isFromElsewhere = false
    /// Whether the file was not searched for a cover: what is known came from elsewhere, without a cover.
    public var isCoverUnread = false

    /// What is known about a file that was not read.
    init(_ file: FoundFile) {
        path = file.path
        size = file.size
        modified = file.modified
        created = file.created
        fingerprint = nil
        digest = nil
        contentID = nil
        readState = .unread
    }

    /// Whether it still describes that file.
    func isOf(_ file: FoundFile) -> Bool { size == file.size && modified == file.modified }

    /// The entry of the cache file.
    var json: JSONValue {
        var object = JSONObject()
        object["path"] = .string(path.text)
        object["size"] = .string(String(size))
        object["modified"] = .integer(modified)
        if created != 0 { object["created"] = .integer(created) }
        object["fingerprint"] = fingerprint.map { .string($0.text) }
        object["digest"] = digest.map { .string($0) }
        object["content"] = contentID.map { .string($0) }
        switch readState {
        case .unread: break
        case .recognised(let mediaType): object["recognised"] = .string(mediaType)
        case .book(let book): object["book"] = .object(book.book.keptJSON())
        case .unreadable(let why): object["unreadable"] = .string(why)
        case .noBook: object["no_book"] = .bool(true)
        }
        if isFromElsewhere { object["elsewhere"] = .bool(true) }
        if isCoverUnread { object["cover_unread"] = .bool(true) }
        return .object(object)
    }

    /// An entry of a cache file; nil for anything else.
    init?(_ json: JSONValue) {
        guard let object = json.object, let path = object["path"]?.string.flatMap({ ShelfPath($0) }),
            let size = object["size"]?.string.flatMap({ UInt64($0) }),
            let modified = object["modified"]?.integer
        else { return nil }
        self.path = path
        self.size = size
        self.modified = modified
        created = object["created"]?.integer ?? 0
        isFromElsewhere = object["elsewhere"]?.bool ?? false
        isCoverUnread = object["cover_unread"]?.bool ?? false
        fingerprint = object["fingerprint"]?.string.flatMap { ContentFingerprint($0) }
        digest = object["digest"]?.string
        contentID = object["content"]?.string
        if let book = object["book"]?.object {
            readState = .book(CompactBook(Book(keptJSON: book)))
        } else if let mediaType = object["recognised"]?.string {
            readState = .recognised(mediaType)
        } else if let why = object["unreadable"]?.string {
            readState = .unreadable(why)
        } else {
            readState = object["no_book"]?.bool == true ? .noBook : .unread
        }
    }
}
