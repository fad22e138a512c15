import Platform

/// An absolute `http` or `https` URL in the form in which it is sent: percent-encoded, without fragment.
///
/// Blanks, non-ASCII characters and what else a URL may not hold are encoded; valid `%XX` are left alone (fetcher
/// reference, section 10.1). Scheme and host are in lower case and dot segments of the path are resolved.
struct HTTPURL: Sendable, Equatable {
    var scheme: String
    /// The text before `@` in the authority, which is not sent as part of the URL.
    var userInfo: String?
    /// A name, an IPv4 address or an IPv6 address in brackets.
    var host: String
    /// Nil when it is the scheme's own.
    var port: Int?
    /// Begins with `/`.
    var path: String
    /// Without the `?`.
    var query: String?

    /// The URL that `text` says, resolved against `base` as RFC 3986 section 5.2 does; nil if that is not an HTTP URL.
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
        // `http:path` was never more than a mistake.
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

    /// The URL as it is sent, without user and password.
    var string: String { origin + path + (query.map { "?" + $0 } ?? "") }

    /// Scheme, host and port: what one connection serves.
    var origin: String { scheme + "://" + host + (port.map { ":\($0)" } ?? "") }

    /// The same URL with more query items, form-style: name and value percent-encoded.
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

    /// Whether what is meant for `other` alone, such as a password, may also be shown to this host: the same name, and the
    /// same port or each scheme's own.
    func isSameHost(as other: HTTPURL) -> Bool { host == other.host && port == other.port }

    // MARK: pieces

    /// Cuts `scheme:` off.
    private static func takeScheme(_ rest: inout Substring) -> String? {
        guard let colon = rest.utf8.firstIndex(of: 0x3A) else { return nil }
        let name = rest[..<colon]
        guard let first = name.utf8.first, ASCII.isLetter(first),
            name.utf8.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) })
        else { return nil }
        rest = rest[rest.utf8.index(after: colon)...]
        return ASCII.lowercased(name)
    }

    /// Cuts `?query` off and encodes it.
    private static func takeQuery(_ rest: inout Substring) -> String? {
        guard let mark = rest.utf8.firstIndex(of: 0x3F) else { return nil }
        let query = rest[rest.utf8.index(after: mark)...]
        rest = rest[..<mark]
        return encode(query, pathLetters + "?")
    }

    /// The field `Authorization` that sends the user information (RFC 7617); nil if there is none.
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

    /// Unreserved characters, sub-delimiters and what else RFC 3986 allows in a path.
    private static let pathLetters = "!$&'()*+,;=:@/"

    private static func encode(_ text: Substring, _ kept: String) -> String {
        PercentCoding.encoded(text, keeping: kept, keepsEncoded: true)
    }
}
