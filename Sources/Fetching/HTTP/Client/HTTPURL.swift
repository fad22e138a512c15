import Platform

/// An absolute `http` or `https` URL in the form in which it is sent: percent-encoded and without a fragment.
///
/// Spaces, non-ASCII characters and other characters that are invalid in a URL are encoded; valid `%XX` sequences
/// stay unchanged (fetcher reference, section 10.1). Scheme and host are in lower case, and dot segments in the path
/// are resolved.
struct HTTPURL: Sendable, Equatable {
    var scheme: String
    /// The text before `@` in the authority. It is not sent as part of the URL.
    var userInfo: String?
    /// The host: a name, an IPv4 address, or an IPv6 address in brackets.
    var host: String
    /// The port; nil if it is the default port of the scheme.
    var port: Int?
    /// The path, which begins with `/`.
    var path: String
    /// The query without the `?`.
    var query: String?

    /// Parses a URL and resolves it against `base` (RFC 3986 section 5.2); nil if the result is not an HTTP URL.
    init?(_ text: String, relativeTo base: HTTPURL? = nil) {
        var rest = Substring(text.prefix { $0 != "#" })
        let scheme = Self.takeScheme(&rest)
        if let scheme, scheme != "http", scheme != "https" { return nil }
        if rest.hasPrefix("//") {
            guard let scheme = scheme ?? base?.scheme else { return nil }
            let query = Self.takeQuery(&rest)
            let authority = rest.dropFirst(2).prefix { $0 != "/" }
            self.init(scheme: scheme, authority: authority)
            path = DotSegments.removed(
                from: Self.encode(rest.dropFirst(2 + authority.count), Self.pathLetters))
            self.query = query
            return
        }
        // `http:path` is always a mistake.
        guard scheme == nil, var url = base else { return nil }
        let query = Self.takeQuery(&rest)
        if rest.isEmpty {
            if let query { url.query = query }
        } else {
            let encoded = Self.encode(rest, Self.pathLetters)
            let folder = url.path.prefix(through: url.path.lastIndex(of: "/") ?? url.path.startIndex)
            url.path = DotSegments.removed(from: encoded.hasPrefix("/") ? encoded : folder + encoded)
            url.query = query
        }
        self = url
    }

    private init?(scheme: String, authority: Substring) {
        self.scheme = scheme
        path = "/"
        var rest = authority
        if let at = rest.lastIndex(of: "@") {
            userInfo = String(rest[..<at])
            rest = rest[rest.index(after: at)...]
        }
        let hostEnd: Substring.Index
        if rest.hasPrefix("[") {
            guard let bracket = rest.firstIndex(of: "]") else { return nil }
            hostEnd = rest.index(after: bracket)
            let address = rest[rest.index(after: rest.startIndex)..<bracket]
            guard !address.isEmpty,
                address.utf8.allSatisfy({ Hex.value(of: $0) != nil || $0 == 0x3A || $0 == 0x2E })
            else { return nil }
            host = ASCII.lowercased(rest[..<hostEnd])
        } else {
            hostEnd = rest.firstIndex(of: ":") ?? rest.endIndex
            guard let host = Self.host(String(rest[..<hostEnd])) else { return nil }
            self.host = host
        }
        var portText = rest[hostEnd...]
        guard portText.isEmpty || portText.popFirst() == ":" else { return nil }
        if !portText.isEmpty {
            guard let number = ASCII.number(portText), (1...65535).contains(number) else { return nil }
            port = number == (scheme == "https" ? 443 : 80) ? nil : Int(number)
        }
    }

    /// The URL as sent, without user and password.
    var string: String { origin + path + (query.map { "?" + $0 } ?? "") }

    /// The scheme, host and port, which identify the connections that can serve the URL.
    var origin: String { scheme + "://" + host + (port.map { ":\($0)" } ?? "") }

    /// The same URL with additional query items. Names and values are percent-encoded in form style.
    func addingQuery(_ items: [String: String]) -> HTTPURL {
        guard !items.isEmpty else { return self }
        let pairs = items.sorted { $0.key < $1.key }.map { item in
            PercentCoding.encoded(item.key, keeping: ",:") + "="
                + PercentCoding.encoded(item.value, keeping: ",:")
        }
        var url = self
        let before = query.map { [$0] } ?? []
        url.query = (before.filter { !$0.isEmpty } + pairs).joined(separator: "&")
        return url
    }

    /// Whether data meant for `other` only, such as a password, may also be sent to this host. The hosts must be the
    /// same, and the ports must be the same or each the default of its scheme.
    func isSameHost(as other: HTTPURL) -> Bool { host == other.host && port == other.port }

    // MARK: pieces

    /// Removes and returns the scheme before `:`.
    private static func takeScheme(_ rest: inout Substring) -> String? {
        guard let colon = rest.utf8.firstIndex(of: 0x3A) else { return nil }
        let name = rest[..<colon]
        guard let first = name.utf8.first, ASCII.isLetter(first),
            name.utf8.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) })
        else { return nil }
        rest = rest[rest.utf8.index(after: colon)...]
        return ASCII.lowercased(name)
    }

    /// Removes `?query` and returns the query, encoded.
    private static func takeQuery(_ rest: inout Substring) -> String? {
        guard let mark = rest.utf8.firstIndex(of: 0x3F) else { return nil }
        let query = rest[rest.utf8.index(after: mark)...]
        rest = rest[..<mark]
        return encode(query, pathLetters + "?")
    }

    /// The value of `Authorization` for the user information (RFC 7617); nil if there is none.
    var basicAuthorization: String? {
        guard let userInfo else { return nil }
        let plain = PercentCoding.lenientlyDecoded(userInfo) ?? userInfo
        return "Basic " + String(decoding: Base64.encode(Array(plain.utf8)), as: UTF8.self)
    }

    private static func host(_ text: String) -> String? {
        guard !text.isEmpty else { return nil }
        let labels = text.split(omittingEmptySubsequences: false) { ".。．｡".contains($0) }
        let lower = ASCII.lowercased(labels.map { Punycode.label($0) }.joined(separator: "."))
        let isGood = lower.utf8.allSatisfy {
            ASCII.isLetter($0) || ASCII.isDigit($0) || "-._~!$&'()*+,;=".utf8.contains($0)
        }
        return isGood ? lower : nil
    }

    /// Sub-delimiters and other characters that RFC 3986 allows in a path, in addition to unreserved characters.
    private static let pathLetters = "!$&'()*+,;=:@/"

    private static func encode(_ text: Substring, _ kept: String) -> String {
        PercentCoding.encoded(text, keeping: kept, keepsEncoded: true)
    }
}
