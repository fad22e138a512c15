extension BuiltInSniffer {
    /// A package with the manifest of an audiobook (format reference 6.4).
    static let audiobook = BuiltInSniffer(
        "audiobook", .audiobook, extensions: ["audiobook"], mediaTypes: [.audiobook]
    ) { context in
        context.archiveManifest?.isAudiobook == true ? "manifest.json of @type Audiobook" : nil
    }
}
