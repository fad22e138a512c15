import BookModel
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
    public static let publications = BookFormats(
        FileFormat.extensions([.book, .publication]))

    /// Whether files with this extension are books.
    public func contains(_ fileExtension: String) -> Bool { set.contains(fileExtension.lowercased()) }

    /// The publications among an app's formats, because the app may also open pictures and archives. All publications
    /// if there are none.
    public static func ofApp(_ extensions: [String]) -> BookFormats {
        let documents = Set(FileFormat.extensions(kinds))
        let own = BookFormats(extensions.filter { documents.contains($0.lowercased()) })
        return own.extensions.isEmpty ? publications : own
    }

    /// The kinds of files that can be books.
    private static let kinds: Set<FileFormat.Kind> = [.book, .publication, .document]

    /// The media type for an extension in lower case, of any file; nil if it is not known.
    public static func mediaType(of fileExtension: String) -> String? {
        FileFormat.mediaType(of: fileExtension)
    }

    /// The media type for an extension of books and documents; nil for others, because their content says more.
    static func bookType(of fileExtension: String) -> String? {
        FileFormat.of(fileExtension).flatMap { kinds.contains($0.kind) ? $0.mediaType : nil }
    }

    /// The extension among these formats for a media type that was recognised from the content.
    func fileExtension(ofMediaType mediaType: String) -> String? {
        extensions.first { Self.bookType(of: $0) != nil && FileFormat.has($0, mediaType: mediaType) }
    }

    /// Whether content of this media type is not a book of the format that the extension names, for the formats that
    /// content always identifies.
    static func contradicts(_ mediaType: String, _ fileExtension: String) -> Bool {
        guard let formats = identified[fileExtension] else { return false }
        return !formats.contains { FileFormat.has($0, mediaType: mediaType) }
    }

    /// The formats that files with an extension may have. MOBI files may contain either of Amazon's formats.
    private static let identified = [
        "epub": ["epub"], "pdf": ["pdf"], "mobi": ["mobi", "azw3"], "azw3": ["mobi", "azw3"],
    ]

    /// Whether a file may be a book although its extension is not one of these formats: the name may be wrong or
    /// missing.
    static func isDoubtful(_ fileExtension: String) -> Bool {
        guard !fileExtension.isEmpty, let format = FileFormat.of(fileExtension) else { return true }
        return format.kind == .foreign
    }
}

/// The pictures that apps with file sharing show as covers.
public enum PictureType {
    /// `image/jpeg` or `image/png`, by the first bytes; nil for anything else.
    public static func mediaType(of bytes: [UInt8]) -> String? {
        guard let format = PictureFormat(bytes), [.jpeg, .png].contains(format) else { return nil }
        return format.mediaType
    }
}
