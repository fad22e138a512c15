extension BuiltInSniffer {
    /// A manifest that calls itself an OPDS 2 feed (format reference 6.3).
    static let opds2Feed = BuiltInSniffer("opds2Feed", .opds2Feed, mediaTypes: [.opds2]) { context in
        context.jsonOutline?.isRwpm(selfType: .opds2) == true
            ? "self link of type application/opds+json" : nil
    }
}
