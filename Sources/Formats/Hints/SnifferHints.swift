import FoundationEssentials

/// The hints of one guess, normalised when first asked for.
///
/// An extension loses blanks around it, one leading dot and the case of its letters; one with a solidus or a blank
/// inside, and a media type that cannot be parsed, counts for nothing. Belongs to one guess and one thread.
///
/// ```swift
/// let hints = SnifferHints(mediaTypes: ["text/html; charset=utf-8"], path: "/books/emma.epub")
/// print(hints.fileExtensions, hints.mediaTypes)
/// ```
public final class SnifferHints {
    /// The media type hints as they were given.
    public let mediaTypes: [String]
    let givenExtensions: [String]
    let path: String?
    /// The built-in sniffers whose light rules the hints satisfy, once they were looked up.
    var knownRules: UInt64?
    /// Where a guess that is explained notes its answer.
    var trace: SnifferTrace?

    /// Hints of both kinds; the extension of `path` is one more.
    public init(fileExtensions: [String] = [], mediaTypes: [String] = [], path: String? = nil) {
        givenExtensions = fileExtensions
        self.mediaTypes = mediaTypes
        self.path = path
    }

    /// The extension hints as they were given, before them the one of the path.
    public var fileExtensions: [String] {
        guard let path, let own = FileExtension.ofPath(path) else { return givenExtensions }
        return [own] + givenExtensions
    }

    /// The extensions, normalised, without those that can match nothing.
    private lazy var normalisedExtensions: [String] = fileExtensions.compactMap(FileExtension.normalised)

    /// The media types that could be parsed.
    private(set) lazy var parsedMediaTypes: [MediaType] = mediaTypes.compactMap { MediaType($0) }

    /// The first charset of a hint whose encoding is known.
    var charset: String? {
        parsedMediaTypes.first { $0.encoding != nil }?.parameter("charset")
    }

    /// The encoding of that charset.
    var encoding: String.Encoding? { parsedMediaTypes.lazy.compactMap(\.encoding).first }

    /// Whether a hint equals the extension.
    func hasFileExtension(_ fileExtension: String) -> Bool {
        guard let wanted = FileExtension.normalised(fileExtension) else { return false }
        return normalisedExtensions.contains { $0.utf8.elementsEqual(wanted.utf8) }
    }

    /// Whether the media type contains a hint.
    func hasMediaType(_ mediaType: MediaType) -> Bool { parsedMediaTypes.contains(where: mediaType.contains) }
}
