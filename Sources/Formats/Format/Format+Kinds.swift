// Shortcuts to the questions about the media type.
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
