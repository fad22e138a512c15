// Questions about one type. Those of the proposal are one-directional: `*/*` is no bitmap and no manifest.
extension MediaType {
    /// Whether this is a document that describes a publication elsewhere, whose address must be kept rather than a
    /// copy: a Readium manifest, an OPDS 1 entry or an OPDS 2 publication.
    public var isManifest: Bool {
        isContained(by: .audiobookManifest, .diViNaManifest, .opds1Entry, .opds2Publication, .webPubManifest)
    }

    /// Whether this is an OPDS feed or entry of either version.
    public var isOpds: Bool { isContained(by: .opds1, .opds1Entry, .opds2, .opds2Publication) }

    /// Whether this is HTML or XHTML.
    public var isHtml: Bool { isContained(by: .html, .xhtml) }

    /// Whether this is one of the six bitmap types of the proposal (BMP, GIF, JPEG, PNG, TIFF, WebP).
    public var isBitmap: Bool { isContained(by: .bmp, .gif, .jpeg, .png, .tiff, .webp) }

    /// Whether this is an archive in ZIP, by name, by its suffix `+zip`, or as a package protected with LCP.
    public var isZip: Bool {
        matchesAny(.zip, .lcpProtectedAudiobook, .lcpProtectedPdf) || structuredSyntaxSuffix == "+zip"
    }

    /// Whether this is JSON, by name or by its suffix `+json`.
    public var isJson: Bool { matches(.json) || structuredSyntaxSuffix == "+json" }

    /// Whether this is a manifest of the Readium Web Publication Manifest family.
    public var isRwpm: Bool { isContained(by: .audiobookManifest, .diViNaManifest, .webPubManifest) }

    /// Whether this is a whole publication, packaged or by its manifest.
    public var isPublication: Bool {
        isRwpm
            || isContained(
                by: .audiobook, .cbz, .diViNa, .epub, .lcpProtectedAudiobook, .lcpProtectedPdf, .lpf, .pdf,
                .w3cWpubManifest, .webPub, .zab)
    }

    /// Whether the top-level type is `audio`.
    public var isAudio: Bool { type == "audio" }

    /// Whether the top-level type is `video`.
    public var isVideo: Bool { type == "video" }

    /// Whether the top-level type is `image`, which SVG and every later bitmap are too.
    public var isImage: Bool { type == "image" }
}
