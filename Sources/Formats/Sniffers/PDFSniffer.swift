extension BuiltInSniffer {
    /// Content that begins with `%PDF`, strictly at its first byte (format reference 6.6).
    static let pdf = BuiltInSniffer("pdf", .pdf, extensions: ["pdf"], mediaTypes: [.pdf]) { context in
        context.contentBegins(with: [0x25, 0x50, 0x44, 0x46]) ? "content begins with %PDF" : nil
    }
}
