/// One known format of files and resources: a canonical media type with a name and a file extension.
///
/// There is one format per media type. A profile with its own media type (an audiobook among web publications)
/// is its own format; a variant without one (a fixed-layout EPUB) is not. Equality is that of the media type.
///
/// ```swift
/// if let format = Format.guess(path: "/books/emma.epub") {
///     print(format.name, format.mediaType.string, format.fileExtension)
/// }
/// ```
public struct Format: Sendable {
    /// Holds all parts behind one reference instead of four, because every guess copies its answer.
    private final class Parts: Sendable {
        let mediaType: MediaType
        let name: String
        let fileExtension: String

        init(_ mediaType: MediaType, _ name: String, _ fileExtension: String) {
            self.mediaType = mediaType
            self.name = name
            self.fileExtension = fileExtension
        }
    }

    private let parts: Parts

    /// The canonical media type, which is the one to store and to compare.
    public var mediaType: MediaType { parts.mediaType }

    /// A name that can be shown to users.
    public var name: String { parts.name }

    /// The extension for new files of the format, without a dot.
    public var fileExtension: String { parts.fileExtension }

    /// Creates a format that an application adds to the known ones.
    public init(mediaType: MediaType, name: String, fileExtension: String) {
        parts = Parts(mediaType, name, fileExtension)
    }
}

extension Format: Hashable, CustomStringConvertible {
    /// Whether the media types are equal. The name and the extension are ignored.
    public static func == (left: Format, right: Format) -> Bool { left.mediaType == right.mediaType }

    /// Hashes the media type.
    public func hash(into hasher: inout Hasher) { hasher.combine(mediaType) }

    /// The name and the media type, for logs.
    public var description: String { "\(name) (\(mediaType.string))" }
}

// Shortcuts to the properties of the media type.
extension Format {
    /// `isManifest` of the media type.
    public var isManifest: Bool { mediaType.isManifest }

    /// `isOpds` of the media type.
    public var isOpds: Bool { mediaType.isOpds }

    /// `isHtml` of the media type.
    public var isHtml: Bool { mediaType.isHtml }

    /// `isBitmap` of the media type.
    public var isBitmap: Bool { mediaType.isBitmap }

    /// `isZip` of the media type.
    public var isZip: Bool { mediaType.isZip }

    /// `isJson` of the media type.
    public var isJson: Bool { mediaType.isJson }

    /// `isRwpm` of the media type.
    public var isRwpm: Bool { mediaType.isRwpm }

    /// `isPublication` of the media type.
    public var isPublication: Bool { mediaType.isPublication }

    /// `isAudio` of the media type.
    public var isAudio: Bool { mediaType.isAudio }

    /// `isVideo` of the media type.
    public var isVideo: Bool { mediaType.isVideo }

    /// `isImage` of the media type.
    public var isImage: Bool { mediaType.isImage }
}
