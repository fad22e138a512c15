// Properties of a type. Those of the proposal use `contains` in one direction: `*/*` is neither a bitmap nor a
// manifest.
extension MediaType {
    /// Whether this is a document that describes a publication stored elsewhere, so that its address must be kept
    /// instead of a copy: a Readium manifest, an OPDS 1 entry or an OPDS 2 publication.
    public var isManifest: Bool {
        isContained(by: .audiobookManifest, .diViNaManifest, .opds1Entry, .opds2Publication, .webPubManifest)
    }

    /// Whether this is an OPDS feed or entry of either version.
    public var isOpds: Bool { isContained(by: .opds1, .opds1Entry, .opds2, .opds2Publication) }

    /// Whether this is HTML or XHTML.
    public var isHtml: Bool { isContained(by: .html, .xhtml) }

    /// Whether this is one of the six bitmap types of the proposal (BMP, GIF, JPEG, PNG, TIFF, WebP).
    public var isBitmap: Bool { isContained(by: .bmp, .gif, .jpeg, .png, .tiff, .webp) }

    /// Whether this is a ZIP archive, by its name, by the suffix `+zip`, or as an LCP-protected package.
    public var isZip: Bool {
        matchesAny(.zip, .lcpProtectedAudiobook, .lcpProtectedPdf) || structuredSyntaxSuffix == "+zip"
    }

    /// Whether this is JSON, by its name or by the suffix `+json`.
    public var isJson: Bool { matches(.json) || structuredSyntaxSuffix == "+json" }

    /// Whether this is a manifest of the Readium Web Publication Manifest family.
    public var isRwpm: Bool { isContained(by: .audiobookManifest, .diViNaManifest, .webPubManifest) }

    /// Whether this is a complete publication, as a package or as a manifest.
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

    /// Whether the top-level type is `image`, which includes SVG and all later bitmap types.
    public var isImage: Bool { type == "image" }
}

extension MediaType {
    /// Whether `other` is this type or a narrower one.
    ///
    /// Each parameter of this type must be in `other` with an equal value; additional parameters of `other` are
    /// ignored. A `*` in this type matches anything; a `*` in `other` matches only `*`.
    public func contains(_ other: MediaType) -> Bool {
        if anyType || anySubtype {
            guard anyType || typeBytes.elementsEqual(other.typeBytes) else { return false }
            guard anySubtype || subtypeBytes.elementsEqual(other.subtypeBytes) else { return false }
        } else {
            guard essence == other.essence else { return false }
        }
        return sortedParameters.isEmpty || containsParameters(of: other)
    }

    /// Whether each parameter is among those of `other`. Both lists are sorted, so one pass is sufficient.
    private func containsParameters(of other: MediaType) -> Bool {
        var rest = other.sortedParameters[...]
        for parameter in sortedParameters {
            while let first = rest.first, first.name < parameter.name { rest.removeFirst() }
            guard rest.first == parameter else { return false }
        }
        return true
    }

    /// Whether the type in a text is this type or a narrower one; false if the text is not a media type.
    public func contains(_ other: String) -> Bool { MediaType(other).map(contains) ?? false }

    /// Whether one of the two types contains the other.
    public func matches(_ other: MediaType) -> Bool { contains(other) || other.contains(self) }

    /// Whether this type or the type in a text contains the other; false if the text is not a media type.
    public func matches(_ other: String) -> Bool { MediaType(other).map(matches) ?? false }

    /// Whether this type matches one of `others`.
    public func matchesAny(_ others: MediaType...) -> Bool { others.contains(where: matches) }

    /// Whether this type matches one of the types in `others`.
    public func matchesAny(_ others: String...) -> Bool { others.contains { matches($0) } }

    /// Whether two types match, for use in `switch`.
    public static func ~= (pattern: MediaType, value: MediaType) -> Bool { pattern.matches(value) }

    /// Whether one of `wider` contains this type. Used for tests against a set, where wildcards must not match.
    func isContained(by wider: MediaType...) -> Bool { wider.contains { $0.contains(self) } }

    private var typeBytes: Substring.UTF8View { essence.utf8.prefix(solidus) }
    private var subtypeBytes: Substring.UTF8View { essence.utf8.dropFirst(solidus + 1) }
}
