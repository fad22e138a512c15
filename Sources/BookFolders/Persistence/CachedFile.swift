import JSON
import OverlayBridge
import OverlayKit
import Platform

/// What is known about a file from an earlier look; valid as long as its path, size and time are the same.
public struct CachedFile: Hashable, Sendable {
    /// How much of the file was read, and the result.
    public enum ReadState: Hashable, Sendable {
        /// The file has not been read.
        case unread
        /// The content is a book of this media type; its metadata has not been read yet.
        case recognised(String)
        /// A book and its metadata.
        case book(CompactBook)
        /// A book that cannot be read, and why; it is not tried again until the file changes.
        case unreadable(String)
        /// The file is not a book, even if its name suggests one.
        case noBook
    }

    /// The path of the file at that time.
    public var path: ShelfPath
    /// The size in bytes.
    public var size: UInt64
    /// When its content changed, in nanoseconds since 1970-01-01 00:00 UTC.
    public var modified: Int64
    /// When it was created, in the same unit; 0 if not known.
    public var created: Int64
    /// Identifies the content; nil if it has not been needed yet.
    public var fingerprint: ContentFingerprint?
    /// The digest of all bytes; nil if it has not been needed yet.
    public var digest: String?
    /// The content's id from the host that sent it; nil if it was not sent by this host.
    public var contentID: String?
    /// An id for the content of a file that was sent by this host and has been written again since; nil otherwise.
    public var rewrittenID: String?
    /// The result of reading it.
    public var readState: ReadState
    /// Whether the metadata comes from elsewhere, such as a cache of the app. It then takes precedence over the
    /// file's own metadata.
    public var isFromElsewhere = false
    /// Whether a cover still has to be looked for in the file, because the metadata comes from elsewhere and has no
    /// cover.
    public var isCoverUnread = false

    /// What is known about a file that has not been read.
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

    /// Whether this still describes the file.
    func isOf(_ file: FoundFile) -> Bool { size == file.size && modified == file.modified }

    /// Whether the file was read or its metadata comes from elsewhere.
    var isFilled: Bool {
        switch readState {
        case .unread, .noBook, .recognised: false
        case .book, .unreadable: true
        }
    }

    /// The id of the content for the host; nil if the file was not sent by this host.
    var listedContentID: String? { contentID ?? rewrittenID }

    /// An id for this content that no other content has, because the bytes may be any.
    private var ownContentID: String {
        var (high, low) = (FNV1a(), FNV1a(beginning: FNV1a.of(path.text.utf8)))
        for word in [size, UInt64(bitPattern: modified)] {
            for shift in stride(from: 0, to: 64, by: 8) {
                high.add(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
                low.add(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        let digits = Array(Hex.text(high.value) + Hex.text(low.value))
        let ends = [8, 12, 16, 20, 32]
        return zip([0] + ends, ends).map { String(digits[$0..<$1]) }.joined(separator: "-")
    }

    /// Takes what an entry for the same path says about an earlier content.
    mutating func follow(_ former: CachedFile) {
        guard contentID == nil, former.listedContentID != nil else { return }
        if size == former.size, modified == former.modified {
            rewrittenID = former.rewrittenID
        } else if let fingerprint, fingerprint == former.fingerprint, ContentFingerprint.isWhole(size: size) {
            (contentID, rewrittenID) = (former.contentID, former.rewrittenID)
        } else {
            rewrittenID = ownContentID
        }
    }

    /// The value as an entry of the cache file.
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
        object["rewritten"] = rewrittenID.map { .string($0) }
        if isFromElsewhere { object["elsewhere"] = .bool(true) }
        if isCoverUnread { object["cover_unread"] = .bool(true) }
        return .object(object)
    }

    /// Reads an entry of a cache file; nil if it is invalid.
    init?(_ json: JSONValue) {
        guard let object = json.object, let path = object["path"]?.string.flatMap({ ShelfPath($0) }),
            let size = object["size"]?.string.flatMap({ UInt64($0) }),
            let modified = object["modified"]?.integer
        else { return nil }
        self.path = path
        self.size = size
        self.modified = modified
        created = object["created"]?.integer ?? 0
        rewrittenID = object["rewritten"]?.string
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
