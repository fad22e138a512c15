// Audiobooks by their reading order: the rule of later texts (format reference, section 11), which the proposal's list does
// not have. In a guess that asks that list first, a package stays the web publication that the proposal takes it for.
extension BuiltInSniffer {
    /// A manifest whose reading order has only audio.
    static let audiobookManifestByOrder = BuiltInSniffer("audiobookManifest", .audiobookManifest) { context in
        context.jsonOutline?.isAudioSequence == true ? "manifest with a reading order of audio" : nil
    }

    /// A package with a licence and a manifest whose reading order has only audio.
    static let lcpProtectedAudiobookByOrder = BuiltInSniffer(
        "lcpProtectedAudiobook", .lcpProtectedAudiobook
    ) { context in
        guard context.contentAsZip?.rootEntry("license.lcpl") != nil,
            context.archiveManifest?.isAudioSequence == true
        else { return nil }
        return "license.lcpl and a manifest.json with a reading order of audio"
    }

    /// A package with a manifest whose reading order has only audio.
    static let audiobookByOrder = BuiltInSniffer("audiobook", .audiobook) { context in
        context.archiveManifest?.isAudioSequence == true
            ? "manifest.json with a reading order of audio" : nil
    }
}
