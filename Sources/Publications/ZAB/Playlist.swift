import FoundationEssentials

/// What an extended M3U playlist says about the whole.
struct Playlist {
    /// `#PLAYLIST:`
    private(set) var title: String?
    /// `#EXTALB:`
    private(set) var album: String?
    /// `#EXTART:`
    private(set) var artist: String?
    /// The seconds of all tracks; nil unless every track states them.
    private(set) var duration: Double?

    /// A list in UTF-8, or in Latin-1 as the older form without an 8 in its name.
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
