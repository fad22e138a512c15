extension BuiltInSniffer {
    /// An Atom feed; a hint of an entry, which the feed's type contains, speaks against it (format reference 6.2).
    static let opds1Feed = BuiltInSniffer("opds1Feed", .opds1Feed, mediaTypes: [.opds1], except: .opds1Entry)
    { context in
        context.isAtom(root: "feed") ? "root element feed" : nil
    }
}
