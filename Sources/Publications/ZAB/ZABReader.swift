import Archives
import Formats
import FoundationEssentials
import Platform

/// Reads zipped audiobooks: tracks in a ZIP archive, optionally with a playlist and a picture.
///
/// The title is that of the playlist, or else the name of the only top-level folder, or else the file's name.
enum ZABReader: PublicationReader {
    static var mediaTypes: [MediaType] {
        [.zab] + ["application/x.readium.zab+zip"].compactMap { MediaType($0) }
    }

    /// The largest number of bytes of a playlist that are read.
    private static let largestPlaylist = 1 << 20

    static func read(_ input: PublicationInput) throws(PublicationError) -> PublicationInfo {
        let archive = try PublicationArchive(input)
        var info = PublicationInfo(format: input.format)
        let playlists = ["m3u8", "m3u"]
        if let entry = archive.topmost(where: { playlists.contains(EntryPath.fileExtension(of: $0)) }),
            let bytes = archive.part(entry, limit: largestPlaylist)
        {
            let playlist = Playlist(bytes)
            info.metadata.title = playlist.title ?? playlist.album
            if let artist = playlist.artist { info.metadata.authors = [Contributor(artist)] }
            info.metadata.duration = playlist.duration
        }
        if info.metadata.title == nil { info.metadata.title = commonFolder(archive) }
        if let image = picture(archive) { info.cover = archive.cover(image.entry, type: image.type) }
        info.shortcomings = archive.shortcomings
        info.completeTitle(from: input)
        return info
    }

    private static func commonFolder(_ archive: PublicationArchive) -> String? {
        var folder: Substring?
        for entry in archive.entries {
            let path = entry.path
            if PublicationArchive.isFileManagerEntry(path) { continue }
            guard path.hasSlash, let first = path.pathParts.first else { return nil }
            if folder ?? first != first { return nil }
            folder = first
        }
        return folder.flatMap { String($0).collapsingSpace() }
    }

    /// The picture whose name marks it as a cover, or else the first picture.
    private static func picture(_ archive: PublicationArchive) -> (entry: ZipEntry, type: MediaType)? {
        let pages = archive.pages()
        let names = ["cover", "folder", "front"]
        return pages.first { page in
            let name = EntryPath.name(of: page.entry.path)
            return names.contains { name.hasPrefix(ignoringCase: $0) }
        } ?? pages.first
    }
}

/// The values of an extended M3U playlist that describe the whole audiobook.
struct Playlist {
    /// The value of `#PLAYLIST:`.
    private(set) var title: String?
    /// The value of `#EXTALB:`.
    private(set) var album: String?
    /// The value of `#EXTART:`.
    private(set) var artist: String?
    /// The total duration of all tracks in seconds; nil unless every track states one.
    private(set) var duration: Double?

    /// Parses a playlist in UTF-8, or in Latin-1, which the older form (`.m3u`) uses.
    init(_ bytes: Data) {
        let text =
            String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        var seconds = 0.0
        var tracks = 0
        var timed = 0
        for line in text.split(whereSeparator: \.isNewline) {
            if let value = value(of: "#PLAYLIST:", in: line) {
                title = title ?? value
            } else if let value = value(of: "#EXTALB:", in: line) {
                album = album ?? value
            } else if let value = value(of: "#EXTART:", in: line) {
                artist = artist ?? value
            } else if let value = value(of: "#EXTINF:", in: line) {
                let number = Double(value.prefix { $0 != "," && $0 != " " }) ?? -1
                if number >= 0, number.isFinite {
                    seconds += number
                    timed += 1
                }
            } else if !line.hasPrefix("#") {
                tracks += 1
            }
        }
        if tracks > 0, timed == tracks, seconds.isFinite { duration = seconds }
    }

    private func value(of tag: String, in line: Substring) -> String? {
        line.hasPrefix(ignoringCase: tag) ? String(line.dropFirst(tag.count)).collapsingSpace() : nil
    }
}
