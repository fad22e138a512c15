import Archives
import FoundationEssentials

extension BuiltInSniffer {
    /// An archive with a container document, or with a `mimetype` entry that names EPUB.
    static let epub = BuiltInSniffer("epub", .epub, extensions: ["epub"], mediaTypes: [.epub]) { context in
        guard let archive = context.contentAsZip else { return nil }
        if archive.rootEntry("META-INF/container.xml") != nil {
            return "META-INF/container.xml in the archive"
        }
        return saysEpub(archive) ? "mimetype in the archive" : nil
    }

    /// Whether the entry `mimetype` names EPUB, regardless of its position and compression.
    private static func saysEpub(_ archive: ZipArchive) -> Bool {
        guard let entry = archive.rootEntry("mimetype") else { return false }
        let content: Data
        do throws(ArchiveError) {
            content = try archive.read(entry, range: 0..<Int64(SniffLimits.mimetype))
        } catch {
            return false
        }
        var bytes = [UInt8](content)[...]
        while let first = bytes.first, HTTPToken.isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, HTTPToken.isBlank(last) { bytes.removeLast() }
        return bytes.elementsEqual("application/epub+zip".utf8)
    }
}

extension BuiltInSniffer {
    /// A package with a license and the manifest of an audiobook.
    static let lcpProtectedAudiobook = BuiltInSniffer(
        "lcpProtectedAudiobook", .lcpProtectedAudiobook, extensions: ["lcpa"],
        mediaTypes: [.lcpProtectedAudiobook]
    ) { context in
        guard context.contentAsZip?.rootEntry("license.lcpl") != nil,
            context.archiveManifest?.isAudiobook == true
        else { return nil }
        return "license.lcpl and a manifest.json of @type Audiobook"
    }
}

extension BuiltInSniffer {
    /// A package with a license and a manifest that lists only PDF files.
    static let lcpProtectedPdf = BuiltInSniffer(
        "lcpProtectedPdf", .lcpProtectedPdf, extensions: ["lcpdf"], mediaTypes: [.lcpProtectedPdf]
    ) { context in
        guard context.contentAsZip?.rootEntry("license.lcpl") != nil,
            context.archiveManifest?.isPdfSequence == true
        else { return nil }
        return "license.lcpl and a manifest.json with a reading order of PDF"
    }
}

extension BuiltInSniffer {
    /// A package with the manifest of an audiobook.
    static let audiobook = BuiltInSniffer(
        "audiobook", .audiobook, extensions: ["audiobook"], mediaTypes: [.audiobook]
    ) { context in
        context.archiveManifest?.isAudiobook == true ? "manifest.json of @type Audiobook" : nil
    }
}

extension BuiltInSniffer {
    /// A package with a manifest that lists only bitmaps.
    static let diViNa = BuiltInSniffer("diViNa", .diViNa, extensions: ["divina"], mediaTypes: [.diViNa]) {
        context in
        context.archiveManifest?.isDiViNa == true ? "manifest.json with a reading order of bitmaps" : nil
    }
}

extension BuiltInSniffer {
    /// A package with any Readium manifest.
    static let webPub = BuiltInSniffer("webPub", .webPub, extensions: ["webpub"], mediaTypes: [.webPub]) {
        context in
        context.archiveManifest?.isRwpm == true ? "manifest.json of a web publication" : nil
    }
}

extension BuiltInSniffer {
    /// An archive of images.
    static let cbz = BuiltInSniffer(
        "cbz", .cbz, extensions: ["cbz"],
        mediaTypes: [.cbz, MediaType(known: "application/x-cbz"), MediaType(known: "application/x-cbr")]
    ) { context in
        context.contentAsZip?.holdsOnly(comicExtensions) == true ? "only images in the archive" : nil
    }

    private static let comicExtensions = ExtensionSet([
        "acbf", "gif", "jpeg", "jpg", "png", "tiff", "tif", "webp", "xml",
    ])
}

extension BuiltInSniffer {
    /// An archive of audio files and playlists.
    static let zab = BuiltInSniffer("zab", .zab, extensions: ["zab"]) { context in
        context.contentAsZip?.holdsOnly(audioExtensions) == true ? "only audio in the archive" : nil
    }

    private static let audioExtensions = ExtensionSet([
        "aac", "aiff", "alac", "flac", "m4a", "m4b", "mp3", "ogg", "oga", "mogg", "opus", "wav", "webm",
        "asx", "bio", "m3u", "m3u8", "pla", "pls", "smil", "vlc", "wpl", "xspf", "zpl",
    ])
}

extension BuiltInSniffer {
    /// Content that begins with `%PDF` exactly at its first byte.
    static let pdf = BuiltInSniffer("pdf", .pdf, extensions: ["pdf"], mediaTypes: [.pdf]) { context in
        context.contentBegins(with: [0x25, 0x50, 0x44, 0x46]) ? "content begins with %PDF" : nil
    }
}
