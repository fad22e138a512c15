import Platform

/// The files that are books, by extension in lower case without a dot; the preferred one comes first.
public struct BookFormats: Hashable, Sendable {
    /// The accepted extensions.
    public let extensions: [String]
    private let set: Set<String>

    /// Formats by their extensions, in any case; duplicates are removed.
    public init(_ extensions: [String]) {
        var seen: Set<String> = []
        self.extensions = extensions.compactMap { text in
            var name = text.lowercased()
            if name.hasPrefix(".") { name.removeFirst() }
            return !name.isEmpty && seen.insert(name).inserted ? name : nil
        }
        set = seen
    }

    /// All known formats of publications.
    public static let publications = BookFormats(table.filter(\.isPublication).map(\.fileExtension))

    /// Whether files with this extension are books.
    public func contains(_ fileExtension: String) -> Bool { set.contains(fileExtension.lowercased()) }

    /// The publications among an app's formats, because the app may also open pictures and archives. All publications
    /// if there are none.
    public static func ofApp(_ extensions: [String]) -> BookFormats {
        let documents = Set(table.map(\.fileExtension))
        let own = BookFormats(extensions.filter { documents.contains($0.lowercased()) })
        return own.extensions.isEmpty ? publications : own
    }

    /// The media type for an extension; nil if it is not known.
    public static func mediaType(of fileExtension: String) -> String? { byExtension[fileExtension] }

    /// The extension among these formats for a media type that was recognised from the content.
    func fileExtension(ofMediaType mediaType: String) -> String? {
        let essence = mediaType.prefix { $0 != ";" }
        return extensions.first { Self.mediaType(of: $0).map { $0 == essence } ?? false }
    }

    /// Whether content of this media type is not a book of the format that the extension names, for the formats that
    /// content always identifies.
    static func contradicts(_ mediaType: String, _ fileExtension: String) -> Bool {
        guard let types = identified[fileExtension] else { return false }
        return !types.contains(mediaType.prefix { $0 != ";" }.lowercased())
    }

    private static let identified: [String: Set<String>] = [
        "epub": ["application/epub+zip"], "pdf": ["application/pdf"], "mobi": kindle, "azw3": kindle,
    ]
    private static let kindle: Set<String> = [
        "application/x-mobipocket-ebook", "application/vnd.amazon.ebook",
        "application/vnd.amazon.mobi8-ebook",
    ]

    /// Whether a file may be a book although its extension is not one of these formats: the name may be wrong or
    /// missing.
    static func isDoubtful(_ fileExtension: String) -> Bool {
        fileExtension.isEmpty || (byExtension[fileExtension] == nil && !others.contains(fileExtension))
    }

    private struct Row {
        var fileExtension: String
        var mediaType: String
        /// False for documents that are books only if an app says so.
        var isPublication = true
    }

    private static let byExtension = Dictionary(
        table.map { ($0.fileExtension, $0.mediaType) }, uniquingKeysWith: { first, _ in first })

    private static let table: [Row] = [
        Row(fileExtension: "epub", mediaType: "application/epub+zip"),
        Row(fileExtension: "pdf", mediaType: "application/pdf"),
        Row(fileExtension: "mobi", mediaType: "application/x-mobipocket-ebook"),
        Row(fileExtension: "prc", mediaType: "application/x-mobipocket-ebook"),
        Row(fileExtension: "azw", mediaType: "application/vnd.amazon.ebook"),
        Row(fileExtension: "azw3", mediaType: "application/vnd.amazon.ebook"),
        Row(fileExtension: "cbz", mediaType: "application/vnd.comicbook+zip"),
        Row(fileExtension: "cbr", mediaType: "application/vnd.comicbook-rar"),
        Row(fileExtension: "cb7", mediaType: "application/x-cb7"),
        Row(fileExtension: "fb2", mediaType: "application/x-fictionbook+xml"),
        Row(fileExtension: "djvu", mediaType: "image/vnd.djvu"),
        Row(fileExtension: "djv", mediaType: "image/vnd.djvu"),
        Row(fileExtension: "ibooks", mediaType: "application/x-ibooks+zip"),
        Row(fileExtension: "webpub", mediaType: "application/webpub+zip"),
        Row(fileExtension: "audiobook", mediaType: "application/audiobook+zip"),
        Row(fileExtension: "divina", mediaType: "application/divina+zip"),
        Row(fileExtension: "lcpdf", mediaType: "application/pdf+lcp"),
        Row(fileExtension: "lcpa", mediaType: "application/audiobook+lcp"),
        Row(fileExtension: "lpf", mediaType: "application/lpf+zip"),
        Row(fileExtension: "zab", mediaType: "application/vnd.zab+zip"),
        Row(fileExtension: "m4b", mediaType: "audio/mp4"),
        Row(fileExtension: "txt", mediaType: "text/plain", isPublication: false),
        Row(fileExtension: "md", mediaType: "text/markdown", isPublication: false),
        Row(fileExtension: "rtf", mediaType: "application/rtf", isPublication: false),
        Row(fileExtension: "html", mediaType: "text/html", isPublication: false),
        Row(fileExtension: "htm", mediaType: "text/html", isPublication: false),
        Row(fileExtension: "xhtml", mediaType: "application/xhtml+xml", isPublication: false),
        Row(fileExtension: "doc", mediaType: "application/msword", isPublication: false),
        Row(
            fileExtension: "docx",
            mediaType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            isPublication: false),
        Row(
            fileExtension: "odt", mediaType: "application/vnd.oasis.opendocument.text", isPublication: false),
        Row(fileExtension: "chm", mediaType: "application/vnd.ms-htmlhelp", isPublication: false),
        Row(fileExtension: "pdb", mediaType: "application/vnd.palm", isPublication: false),
    ]

    /// Extensions of app files that are certainly not books, so that they are not read.
    private static let others: Set<String> = [
        "7z", "aac", "aif", "aiff", "avi", "bak", "bin", "bmp", "bz2", "caf", "css", "csv", "dat", "db",
        "dmg",
        "flac", "gif", "gz", "heic", "heif", "ico", "jpeg", "jpg", "js", "json", "key", "lock", "log", "m4a",
        "m4p", "m4v", "mkv", "mov", "mp3", "mp4", "mpg", "numbers", "ogg", "opus", "otf", "pages", "plist",
        "png",
        "ppt", "pptx", "rar", "realm", "sqlite", "sqlite-shm", "sqlite-wal", "sqlite3", "srt", "strings",
        "svg",
        "tar", "tif", "tiff", "tmp", "ttf", "vtt", "wav", "webloc", "webm", "webp", "woff", "woff2", "xls",
        "xlsx", "xml", "yaml", "yml", "zip",
    ]
}

/// The pictures that apps with file sharing show as covers.
public enum PictureType {
    /// `image/jpeg` or `image/png`, by the first bytes; nil for anything else.
    public static func mediaType(of bytes: [UInt8]) -> String? {
        guard let format = PictureFormat(bytes), [.jpeg, .png].contains(format) else { return nil }
        return format.mediaType
    }
}
