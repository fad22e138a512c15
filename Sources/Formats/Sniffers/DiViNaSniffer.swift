extension BuiltInSniffer {
    /// A package with a manifest that lists only bitmaps (format reference 6.4).
    static let diViNa = BuiltInSniffer("diViNa", .diViNa, extensions: ["divina"], mediaTypes: [.diViNa]) {
        context in
        context.archiveManifest?.isDiViNa == true ? "manifest.json with a reading order of bitmaps" : nil
    }
}
