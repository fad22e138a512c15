extension BuiltInSniffer {
    /// A manifest with a link to acquire the publication (format reference 6.3).
    static let opds2Publication = BuiltInSniffer(
        "opds2Publication", .opds2Publication, mediaTypes: [.opds2Publication]
    ) { context in
        guard let outline = context.contentAsRwpm, outline.hasAcquisitionLink else { return nil }
        return "manifest with an acquisition link"
    }
}
