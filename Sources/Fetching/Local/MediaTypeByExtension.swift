import Formats

/// Determines the media types of links by file extension.
package enum MediaTypeByExtension {
    /// The type for the extension of a path; nil if it has none or an unknown one.
    package static func type(ofPath path: some StringProtocol) -> MediaType? {
        let path = Array(path.utf8)
        let nameStart = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        // A leading dot marks a hidden name, not an extension.
        guard let dot = path.lastIndex(of: UInt8(ascii: ".")), dot > nameStart else { return nil }
        let letters = path[(dot + 1)...]
        guard !letters.isEmpty, letters.count <= 9 else { return nil }
        return types[String(decoding: letters, as: UTF8.self).lowercased()]
    }

    private static let types: [String: MediaType] = [
        // Text and markup.
        "txt": .text, "html": .html, "htm": .html, "xhtml": .xhtml, "xht": .xhtml, "xml": .xml, "ncx": .ncx,
        "smil": .smil, "css": .css, "js": .javaScript, "json": .json,
        "opf": MediaType("application/oebps-package+xml") ?? .xml,
        // Images.
        "svg": .svg, "png": .png, "jpg": .jpeg, "jpeg": .jpeg, "gif": .gif, "webp": .webp, "bmp": .bmp,
        "tif": .tiff,
        "tiff": .tiff, "avif": .avif, "jxl": .jxl,
        // Audio and video.
        "mp3": .mp3, "m4a": .mp4, "m4b": .mp4, "mp4": .mp4, "aac": .aac, "aif": .aiff, "aiff": .aiff,
        "ogg": .ogg,
        "oga": .ogg, "opus": .opus, "wav": .wav, "flac": .flac, "webm": .webmAudio,
        // Fonts.
        "otf": .otf, "ttf": .ttf, "woff": .woff, "woff2": .woff2,
        // Publications and their licenses.
        "pdf": .pdf, "epub": .epub, "cbz": .cbz, "cbr": .cbr, "zab": .zab, "zip": .zip, "rar": .rar,
        "lpf": .lpf,
        "audiobook": .audiobook, "divina": .diViNa, "webpub": .webPub, "lcpa": .lcpProtectedAudiobook,
        "lcpdf": .lcpProtectedPdf, "lcpl": .lcpLicenseDocument, "acsm": .acsm, "atom": .opds1,
    ]
}
