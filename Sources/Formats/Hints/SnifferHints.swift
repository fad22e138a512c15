import FoundationEssentials

/// The hints of one guess, normalized on first use.
///
/// An extension is converted to lower case, without surrounding white space and one leading dot. An extension that
/// contains a slash or white space, and a media type that cannot be parsed, are ignored. Used by one guess on one
/// thread.
///
/// ```swift
/// let hints = SnifferHints(mediaTypes: ["text/html; charset=utf-8"], path: "/books/emma.epub")
/// print(hints.fileExtensions, hints.mediaTypes)
/// ```
public final class SnifferHints {
    /// The media type hints as given.
    public let mediaTypes: [String]
    let givenExtensions: [String]
    let path: String?
    /// The built-in sniffers whose light rules the hints satisfy; nil before they were looked up.
    var knownRules: UInt64?
    /// The record of the answer if the guess is explained.
    var trace: SnifferTrace?

    /// Creates hints of both kinds. The extension of `path` is an additional hint.
    public init(fileExtensions: [String] = [], mediaTypes: [String] = [], path: String? = nil) {
        givenExtensions = fileExtensions
        self.mediaTypes = mediaTypes
        self.path = path
    }

    /// The extension hints as given, preceded by the extension of the path.
    public var fileExtensions: [String] {
        guard let path, let own = FileExtension.ofPath(path) else { return givenExtensions }
        return [own] + givenExtensions
    }

    /// The normalized extensions, without those that can match nothing.
    private lazy var normalisedExtensions: [String] = fileExtensions.compactMap(FileExtension.normalised)

    /// The media types that could be parsed.
    private(set) lazy var parsedMediaTypes: [MediaType] = mediaTypes.compactMap { MediaType($0) }

    /// The first charset of a hint that has a known encoding.
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
