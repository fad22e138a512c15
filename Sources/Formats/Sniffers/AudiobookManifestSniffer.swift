extension BuiltInSniffer {
    /// A manifest whose `@type` is that of an audiobook (format reference 6.3).
    static let audiobookManifest = BuiltInSniffer(
        "audiobookManifest", .audiobookManifest, mediaTypes: [.audiobookManifest]
    ) { context in
        context.jsonOutline?.isAudiobook == true ? "manifest of @type Audiobook" : nil
    }
}
