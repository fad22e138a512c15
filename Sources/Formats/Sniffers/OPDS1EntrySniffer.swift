extension BuiltInSniffer {
    /// An Atom entry (format reference 6.2).
    static let opds1Entry = BuiltInSniffer("opds1Entry", .opds1Entry, mediaTypes: [.opds1Entry]) { context in
        context.isAtom(root: "entry") ? "root element entry" : nil
    }
}
