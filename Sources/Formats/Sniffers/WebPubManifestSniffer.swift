extension BuiltInSniffer {
    /// A manifest that calls itself one (format reference 6.3).
    static let webPubManifest = BuiltInSniffer(
        "webPubManifest", .webPubManifest, mediaTypes: [.webPubManifest]
    ) { context in
        context.jsonOutline?.isRwpm(selfType: .webPubManifest) == true
            ? "self link of type application/webpub+json" : nil
    }
}
