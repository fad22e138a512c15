extension BuiltInSniffer {
    /// A package with a licence and the manifest of an audiobook (format reference 6.4).
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
