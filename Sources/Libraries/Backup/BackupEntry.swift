import BookModel
import JSON
import Platform

/// A file of a backed-up book, with the values that show whether it is complete.
package struct BackupFile: Hashable, Sendable {
    /// The content of a file.
    package enum Role: String, Sendable, CaseIterable {
        /// The book itself.
        case book
        /// Another paper of a reference.
        case paper
        /// The metadata of the book, in the format of calibre's `metadata.opf`.
        case metadata
        /// The cover of the book.
        case cover
        /// Highlights, notes and bookmarks in readable form.
        case highlights
        /// Highlights, notes and bookmarks for programs.
        case annotations
        /// Highlights, notes and bookmarks in either form that were gone before the app had others.
        case earlierHighlights = "earlier_highlights"

        /// Whether a book may have several files with this role.
        var mayRepeat: Bool { self == .paper || self == .earlierHighlights }
    }

    package var role: Role
    /// The name in the folder of the book.
    package var name: String
    /// The size in bytes.
    package var size: UInt64
    private var checksum: BackupChecksum
    /// The paper on the device of which this is a copy; nil for other files.
    @Boxed package var paper: BackupPaper?

    package init(_ role: Role, name: String, size: UInt64, digest: String, paper: BackupPaper? = nil) {
        (self.role, self.name, self.size, checksum) = (role, name, size, BackupChecksum(digest))
        self.paper = paper
    }

    /// The SHA-256 in hexadecimal.
    package var digest: String { checksum.text }
}

/// An additional paper of a reference, as the device lists it. The path of the book refers to the main file.
package struct BackupPaper: Hashable, Sendable {
    /// The path on the device.
    package var path: String
    /// A text that changes with the file, as far as a listing shows this.
    package var mark: String
    /// The size in bytes; nil if unknown.
    package var size: UInt64?

    package init(path: String, mark: String, size: UInt64? = nil) {
        (self.path, self.mark, self.size) = (path, mark, size)
    }
}

/// The backup of one book of one app, with the values that the device listed for the book at that time.
package struct BackupEntry: Hashable, Sendable {
    /// The path of the book on the device.
    package var path: String
    package var uuid: String?
    package var title: String?
    package var authors: [String]?
    /// The size of the file in bytes, as listed by the device. The copy may have another size if the app assembles
    /// the file.
    package var size: UInt64?
    /// The time when the book came to the device, in seconds since 1970-01-01 00:00 UTC.
    package var dateAdded: Int64?
    /// An identifier of the file's content on the device.
    package var contentID: String?
    /// The folder of the book: two names separated by a slash, relative to the folder of the app.
    package var folder: String
    /// A text that changes with the metadata and annotations; empty if unknown.
    package var mark: String
    /// A text that changes with the cover, as listed by the device.
    package var coverMark: String?
    /// The time when the book was first missing on the device, in seconds since 1970-01-01 00:00 UTC; nil while it is
    /// there.
    package var goneSince: Int64?
    /// The time when the app first had no annotations of the book although the backup has some, in seconds since
    /// 1970-01-01 00:00 UTC; nil while the app has some.
    package var highlightsGoneSince: Int64?
    /// The files: one of each role, except those of which there may be several.
    package var files: [BackupFile]

    package init(_ book: Book, folder: String, mark: String = "", files: [BackupFile] = []) {
        path = book.path ?? ""
        (uuid, title, authors, size) = (book.uuid, book.title, book.authors, book.size)
        (dateAdded, contentID) = (book.dateAdded, book.contentID)
        (self.folder, self.mark, self.files) = (folder, mark, files)
        coverMark = Self.coverMark(of: book)
    }

    /// A text that changes with the cover of a book, as far as a listing shows this; nil if the book has no cover.
    package static func coverMark(of book: Book) -> String? {
        book.cover.map { "\($0.mediaType) \($0.size.map { "\($0)" } ?? "")" }
    }

    /// Whether the backup has annotations of the book.
    package var hasAnnotations: Bool { self[.highlights] != nil || self[.annotations] != nil }

    /// The copy of a paper with a path on the device.
    package func copy(ofPaper path: String) -> BackupFile? {
        files.first { $0.paper.map { ExactText($0.path) } == ExactText(path) }
    }

    /// Adds the copy of a paper, and removes an earlier copy of the same path.
    package mutating func take(_ copy: BackupFile) {
        files.removeAll { $0.paper != nil && $0.paper?.path == copy.paper?.path }
        files.append(copy)
    }

    /// The file with a role. Not for roles that several files may have.
    package subscript(role: BackupFile.Role) -> BackupFile? {
        get { files.first { $0.role == role } }
        set {
            files.removeAll { $0.role == role }
            if let newValue { files.append(newValue) }
        }
    }
}

extension BackupEntry {
    /// The entry as one JSON object.
    package var json: JSONValue {
        var object = JSONObject()
        object["path"] = .string(path)
        object["uuid"] = uuid.map { .string($0) }
        object["title"] = title.map { .string($0) }
        object["authors"] = authors.map { .texts($0) }
        object["size"] = size.flatMap { Int64(exactly: $0) }.map { .integer($0) }
        object["date_added"] = dateAdded.map { .integer($0) }
        object["content_id"] = contentID.map { .string($0) }
        object["folder"] = .string(folder)
        object["mark"] = .string(mark)
        object["cover_mark"] = coverMark.map { .string($0) }
        object["gone_since"] = goneSince.map { .integer($0) }
        object["highlights_gone_since"] = highlightsGoneSince.map { .integer($0) }
        object["files"] = .array(
            files.map { file in
                var object = JSONObject()
                object["role"] = .string(file.role.rawValue)
                object["name"] = .string(file.name)
                object["size"] = .integer(Int64(clamping: file.size))
                object["sha256"] = .string(file.digest)
                object["path"] = file.paper.map { .string($0.path) }
                object["mark"] = file.paper.map { .string($0.mark) }
                return .object(object)
            })
        return .object(object)
    }

    /// Creates an entry from a JSON object; nil if the value is not an entry, or if a name leads out of the folder of
    /// the app.
    package init?(_ value: JSONValue) {
        guard let object = value.object, let path = object["path"]?.string,
            let folder = object["folder"]?.string, BackupNames.isSafe(folder: folder),
            let mark = object["mark"]?.string, let rows = object["files"]?.elements
        else { return nil }
        var files: [BackupFile] = []
        files.reserveCapacity(rows.count)
        for row in rows {
            guard let row = row.object,
                let role = row["role"]?.string.flatMap({ BackupFile.Role(rawValue: $0) }),
                let name = row["name"]?.string, BackupNames.isSafe(name: name),
                let size = row["size"]?.integer.flatMap({ UInt64(exactly: $0) }),
                let digest = row["sha256"]?.string,
                role.mayRepeat || !files.contains(where: { $0.role == role })
            else { return nil }
            var paper: BackupPaper?
            if role == .paper {
                guard let path = row["path"]?.string else { return nil }
                paper = BackupPaper(path: path, mark: row["mark"]?.string ?? "")
            }
            files.append(BackupFile(role, name: name, size: size, digest: digest, paper: paper))
        }
        self.init(
            Book(
                path: path, uuid: object["uuid"]?.string, title: object["title"]?.string,
                authors: object["authors"]?.strings, dateAdded: object["date_added"]?.integer,
                size: object["size"]?.integer.flatMap { UInt64(exactly: $0) },
                contentID: object["content_id"]?.string), folder: folder, mark: mark, files: files)
        coverMark = object["cover_mark"]?.string
        goneSince = object["gone_since"]?.integer
        highlightsGoneSince = object["highlights_gone_since"]?.integer
    }
}

/// A SHA-256 of a manifest. Stored compactly, because a library has hundreds of thousands.
enum BackupChecksum: Hashable, Sendable {
    /// Four words of eight bytes, in big-endian order.
    case words(UInt64, UInt64, UInt64, UInt64)
    /// A text other than 64 hexadecimal digits in lower case, unchanged.
    case other(String)

    /// Creates a checksum from a hexadecimal text.
    init(_ text: String) {
        // Capital letters would be lost when the text is generated again.
        let digits = text.utf8.map { (0x41...0x46).contains($0) ? nil : Hex.value(of: $0) }
        let words = stride(from: 0, to: digits.count, by: 16).map { start in
            digits[start...].prefix(16).reduce(into: UInt64(0)) { $0 = $0 << 4 | UInt64($1 ?? 0) }
        }
        guard digits.count == 64, !digits.contains(nil) else {
            self = .other(text)
            return
        }
        self = .words(words[0], words[1], words[2], words[3])
    }

    /// The text from which the checksum was created.
    var text: String {
        switch self {
        case .words(let one, let two, let three, let four):
            [one, two, three, four].map { Hex.text($0) }.joined()
        case .other(let text): text
        }
    }
}
