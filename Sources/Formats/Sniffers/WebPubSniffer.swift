extension BuiltInSniffer {
    /// A package with any Readium manifest (format reference 6.4).
    static let webPub = BuiltInSniffer("webPub", .webPub, extensions: ["webpub"], mediaTypes: [.webPub]) {
        context in
        context.archiveManifest?.isRwpm == true ? "manifest.json of a web publication" : nil
    }
}
