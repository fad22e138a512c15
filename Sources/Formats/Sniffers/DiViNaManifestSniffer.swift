extension BuiltInSniffer {
    /// A manifest whose reading order has only bitmaps (format reference 6.3).
    static let diViNaManifest = BuiltInSniffer(
        "diViNaManifest", .diViNaManifest, mediaTypes: [.diViNaManifest]
    ) { context in
        context.jsonOutline?.isDiViNa == true ? "manifest with a reading order of bitmaps" : nil
    }
}
