import Formats

/// Covers that a document names by an address, and that somebody who can fetch must fetch.
enum RemoteCover {
    /// A cover whose `href` is its address, absolute if that of the document is known; reading it fails and says so.
    static func cover(href: String, stated: String?, base: String?) -> Cover? {
        let path = String(href.prefix { $0 != "?" && $0 != "#" })
        guard let type = ImageType.of(stated: stated, path: path) else { return nil }
        let address = absolute(href, base: base)
        return Cover(mediaType: type, href: address, size: nil) { () throws(PublicationError) in
            throw PublicationError(
                .notFound, "The cover is not in the file.", subject: address,
                hint: "Download it from its URL.")
        }
    }

    /// The address that a reference means, as far as that can be told without asking the network (RFC 3986, 5.2).
    static func absolute(_ reference: String, base: String?) -> String {
        guard let base, let scheme = base.firstRange(of: "://"), reference.firstRange(of: "://") == nil else {
            return reference
        }
        if reference.hasPrefix("//") { return base[..<scheme.lowerBound] + ":" + reference }
        let rest = base[scheme.upperBound...].prefix { $0 != "?" && $0 != "#" }
        let host = rest.prefix { $0 != "/" }
        let query = reference.firstIndex { $0 == "?" || $0 == "#" } ?? reference.endIndex
        let folder = String(rest.dropFirst(host.count))
        let path = EntryPath.resolve(String(reference[..<query]), relativeTo: folder) ?? ""
        return base[..<scheme.upperBound] + host + "/" + path + reference[query...]
    }
}
