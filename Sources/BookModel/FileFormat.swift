/// What the extension of a file says about it: whether it is a book, and its media type.
///
/// The only table of extensions of books. Formats are recognized from content by `Formats`.
package struct FileFormat: Sendable {
    /// What files with an extension are.
    package enum Kind: Sendable {
        /// Books in a common format.
        case book
        /// Publications in a less common format that reader apps open.
        case publication
        /// Books of other devices and programs. A file with such an extension may have another format: `kepub` files
        /// are EPUBs.
        case foreign
        /// Documents that are books only for apps that open them.
        case document
        /// Documents and archives that apps open, which are not books.
        case office
        /// Files that are neither books nor documents.
        case other
    }

    /// The extension in lower case, without a dot.
    package let fileExtension: String
    /// What files with this extension are.
    package let kind: Kind
    /// The media types in use for the format; OverlayHost uses the first one. Empty if there is none.
    package let mediaTypes: [String]

    /// The media type of the format; nil if there is none.
    package var mediaType: String? { mediaTypes.first }

    /// The extensions of these kinds, with the preferred ones first.
    package static func extensions(_ kinds: Set<Kind>) -> [String] {
        all.filter { kinds.contains($0.kind) }.map(\.fileExtension)
    }

    /// The format of files with an extension in lower case; nil if it is not known.
    package static func of(_ fileExtension: String) -> FileFormat? { byExtension[fileExtension] }

    /// The media type for an extension in lower case; nil if it is not known.
    package static func mediaType(of fileExtension: String) -> String? {
        byExtension[fileExtension]?.mediaType
    }

    /// Whether files with an extension in lower case have this media type. Its parameters are ignored.
    package static func has(_ fileExtension: String, mediaType: String) -> Bool {
        byExtension[fileExtension]?.mediaTypes.contains(essence(mediaType)) ?? false
    }

    /// The preferred extension for a media type; nil if it is not known. Its parameters are ignored.
    package static func fileExtension(ofMediaType mediaType: String) -> String? {
        let essence = essence(mediaType)
        return all.first { $0.mediaTypes.contains(essence) }?.fileExtension
    }

    private static func essence(_ mediaType: String) -> String {
        mediaType.prefix { $0 != ";" }.lowercased()
    }

    private static let byExtension = Dictionary(
        all.map { ($0.fileExtension, $0) }, uniquingKeysWith: { first, _ in first })

    private init(_ fileExtension: String, _ kind: Kind, _ mediaTypes: String...) {
        (self.fileExtension, self.kind, self.mediaTypes) = (fileExtension, kind, mediaTypes)
    }

    /// All known formats, with the preferred extension of each media type first.
    package static let all: [FileFormat] =
        books + publications + foreign + documents + office + resources
        + without.map { FileFormat($0, .other) }

    private static let books: [FileFormat] = [
        FileFormat("epub", .book, "application/epub+zip"),
        FileFormat("pdf", .book, "application/pdf"),
        FileFormat("mobi", .book, "application/x-mobipocket-ebook"),
        FileFormat(
            "azw3", .book, "application/vnd.amazon.ebook", "application/vnd.amazon.mobi8-ebook",
            "application/x-mobi8-ebook"),
        FileFormat("azw", .book, "application/vnd.amazon.ebook"),
        FileFormat("prc", .book, "application/x-mobipocket-ebook"),
        FileFormat("cbz", .book, "application/vnd.comicbook+zip", "application/x-cbz"),
        FileFormat("cbr", .book, "application/vnd.comicbook-rar", "application/x-cbr"),
        FileFormat("cb7", .book, "application/x-cb7"),
        FileFormat("fb2", .book, "application/x-fictionbook+xml"),
        FileFormat("djvu", .book, "image/vnd.djvu", "image/x-djvu"),
    ]

    private static let publications: [FileFormat] = [
        FileFormat("djv", .publication, "image/vnd.djvu"),
        FileFormat("ibooks", .publication, "application/x-ibooks+zip"),
        FileFormat("webpub", .publication, "application/webpub+zip"),
        FileFormat("audiobook", .publication, "application/audiobook+zip"),
        FileFormat("divina", .publication, "application/divina+zip"),
        FileFormat("lcpdf", .publication, "application/pdf+lcp"),
        FileFormat("lcpa", .publication, "application/audiobook+lcp"),
        FileFormat("lpf", .publication, "application/lpf+zip"),
        FileFormat("zab", .publication, "application/vnd.zab+zip"),
        FileFormat("m4b", .publication, "audio/mp4"),
    ]

    private static let foreign: [FileFormat] = [
        "azw1", "azw4", "cba", "cbt", "fbz", "htmlz", "kepub", "kfx", "lit", "lrf", "lrx", "pml", "pmlz",
        "rb",
        "snb", "tcr", "tpz", "txtz", "umd",
    ].map { FileFormat($0, .foreign) }

    private static let documents: [FileFormat] = [
        FileFormat("txt", .document, "text/plain"),
        FileFormat("html", .document, "text/html"),
        FileFormat("htm", .document, "text/html"),
        FileFormat("xhtml", .document, "application/xhtml+xml"),
        FileFormat("md", .document, "text/markdown"),
        FileFormat("rtf", .document, "application/rtf", "text/rtf"),
        FileFormat("doc", .document, "application/msword"),
        FileFormat(
            "docx", .document, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        FileFormat("odt", .document, "application/vnd.oasis.opendocument.text"),
        FileFormat("chm", .document, "application/vnd.ms-htmlhelp"),
        FileFormat("pdb", .document, "application/vnd.palm"),
    ]

    private static let office: [FileFormat] = [
        FileFormat("ps", .office, "application/postscript"),
        FileFormat("zip", .office, "application/zip"),
        FileFormat("key", .office), FileFormat("numbers", .office), FileFormat("pages", .office),
        FileFormat("ppt", .office), FileFormat("pptx", .office), FileFormat("webarchive", .office),
        FileFormat("xls", .office), FileFormat("xlsx", .office),
    ]

    /// Parts of publications, media, and descriptions of publications.
    private static let resources: [FileFormat] = [
        FileFormat("xht", .other, "application/xhtml+xml"),
        FileFormat("xml", .other, "application/xml"),
        FileFormat("ncx", .other, "application/x-dtbncx+xml"),
        FileFormat("opf", .other, "application/oebps-package+xml"),
        FileFormat("smil", .other, "application/smil+xml"),
        FileFormat("css", .other, "text/css"),
        FileFormat("js", .other, "text/javascript"),
        FileFormat("json", .other, "application/json"),
        FileFormat("bib", .other, "text/x-bibtex"),
        FileFormat("atom", .other, "application/atom+xml"),
        FileFormat("lcpl", .other, "application/vnd.readium.lcp.license.v1.0+json"),
        FileFormat("acsm", .other, "application/vnd.adobe.adept+xml"),
        FileFormat("rar", .other, "application/vnd.rar"),
        FileFormat("svg", .other, "image/svg+xml"),
        FileFormat("png", .other, "image/png"),
        FileFormat("jpg", .other, "image/jpeg"),
        FileFormat("jpeg", .other, "image/jpeg"),
        FileFormat("gif", .other, "image/gif"),
        FileFormat("webp", .other, "image/webp"),
        FileFormat("bmp", .other, "image/bmp"),
        FileFormat("tif", .other, "image/tiff"),
        FileFormat("tiff", .other, "image/tiff"),
        FileFormat("avif", .other, "image/avif"),
        FileFormat("jxl", .other, "image/jxl"),
        FileFormat("mp3", .other, "audio/mpeg"),
        FileFormat("m4a", .other, "audio/mp4"),
        FileFormat("mp4", .other, "audio/mp4"),
        FileFormat("aac", .other, "audio/aac"),
        FileFormat("aif", .other, "audio/aiff"),
        FileFormat("aiff", .other, "audio/aiff"),
        FileFormat("ogg", .other, "audio/ogg"),
        FileFormat("oga", .other, "audio/ogg"),
        FileFormat("opus", .other, "audio/opus"),
        FileFormat("wav", .other, "audio/wav"),
        FileFormat("flac", .other, "audio/flac"),
        FileFormat("webm", .other, "audio/webm"),
        FileFormat("otf", .other, "font/otf"),
        FileFormat("ttf", .other, "font/ttf"),
        FileFormat("woff", .other, "font/woff"),
        FileFormat("woff2", .other, "font/woff2"),
    ]

    /// Extensions of files that are certainly not books, and whose media type is not needed.
    private static let without = [
        "7z", "avi", "bak", "bin", "bz2", "caf", "csv", "dat", "db", "dmg", "gz", "heic", "heif", "ico",
        "lock",
        "log", "m4p", "m4v", "mkv", "mov", "mpg", "plist", "realm", "sqlite", "sqlite-shm", "sqlite-wal",
        "sqlite3", "srt", "strings", "tar", "tmp", "vtt", "webloc", "yaml", "yml",
    ]
}
