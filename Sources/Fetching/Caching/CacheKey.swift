import Platform

/// Under which name a content is kept (fetcher reference, section 14.2).
struct CacheKey: Hashable, Sendable {
    /// SHA-256 in hexadecimal.
    let hash: String

    /// The key of a namespace, an HREF, and parameters that were no part of its template.
    init?(namespace: String, href: String, parameters: [String: String]) {
        var parts = ["1", namespace, Self.normalised(href)]
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) { parts += [name, value] }
        self.init(parts: parts)
    }

    /// The key of the variant that requests with these header fields get.
    func variant(_ values: [String: String]) -> CacheKey? {
        var parts = [hash]
        for (name, value) in values.sorted(by: { $0.key < $1.key }) { parts += [name, value] }
        return CacheKey(parts: parts)
    }

    /// The key that a file is named by.
    init(stored hash: String) { self.hash = hash }

    private init?(parts: [String]) {
        // Lengths in front make it impossible that two lists look alike.
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        guard let hash = Digest.text(of: text, .sha256) else { return nil }
        self.hash = hash
    }

    /// Scheme and host in lower case, default port and fragment gone, the query as it is; HREFs inside a publication with a
    /// slash in front.
    private static func normalised(_ href: String) -> String {
        if let url = HTTPURL(href) { return url.string }
        let text = String(href.prefix { $0 != "#" })
        return text.hasPrefix("/") || text.contains(":") ? text : "/" + text
    }
}
