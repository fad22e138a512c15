extension BuiltInSniffer {
    /// An archive of audio files and playlists (format reference 8.3).
    static let zab = BuiltInSniffer("zab", .zab, extensions: ["zab"]) { context in
        context.contentAsZip?.holdsOnly(audioExtensions) == true ? "only audio in the archive" : nil
    }

    private static let audioExtensions = ExtensionSet([
        "aac", "aiff", "alac", "flac", "m4a", "m4b", "mp3", "ogg", "oga", "mogg", "opus", "wav", "webm",
        "asx", "bio", "m3u", "m3u8", "pla", "pls", "smil", "vlc", "wpl", "xspf", "zpl",
    ])
}
