extension BuiltInSniffer {
    /// A manifest that states that it is an OPDS 2 feed.
    static let opds2Feed = BuiltInSniffer("opds2Feed", .opds2Feed, mediaTypes: [.opds2]) { context in
        context.jsonOutline?.isRwpm(selfType: .opds2) == true
            ? "self link of type application/opds+json" : nil
    }
}

extension BuiltInSniffer {
    /// A manifest with a link to acquire the publication.
    static let opds2Publication = BuiltInSniffer(
        "opds2Publication", .opds2Publication, mediaTypes: [.opds2Publication]
    ) { context in
        guard let outline = context.contentAsRwpm, outline.hasAcquisitionLink else { return nil }
        return "manifest with an acquisition link"
    }
}

extension BuiltInSniffer {
    /// A JSON object with the four members of an LCP license.
    static let lcpLicense = BuiltInSniffer(
        "lcpLicense", .lcpLicense, extensions: ["lcpl"], mediaTypes: [.lcpLicenseDocument]
    ) { context in
        context.jsonOutline?.isLcpLicense == true ? "members id, issued, provider and encryption" : nil
    }
}

extension BuiltInSniffer {
    /// A manifest with the `@type` of an audiobook.
    static let audiobookManifest = BuiltInSniffer(
        "audiobookManifest", .audiobookManifest, mediaTypes: [.audiobookManifest]
    ) { context in
        context.jsonOutline?.isAudiobook == true ? "manifest of @type Audiobook" : nil
    }
}

extension BuiltInSniffer {
    /// A manifest whose reading order has only bitmaps.
    static let diViNaManifest = BuiltInSniffer(
        "diViNaManifest", .diViNaManifest, mediaTypes: [.diViNaManifest]
    ) { context in
        context.jsonOutline?.isDiViNa == true ? "manifest with a reading order of bitmaps" : nil
    }
}

extension BuiltInSniffer {
    /// A manifest that states that it is a web publication manifest.
    static let webPubManifest = BuiltInSniffer(
        "webPubManifest", .webPubManifest, mediaTypes: [.webPubManifest]
    ) { context in
        context.jsonOutline?.isRwpm(selfType: .webPubManifest) == true
            ? "self link of type application/webpub+json" : nil
    }
}
