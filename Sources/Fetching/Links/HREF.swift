import Platform

/// An HREF resolved against a base.
///
/// A local HREF becomes a decoded path that starts with `/` and never leaves the root. A remote HREF remains a URL.
///
/// ```swift
/// print(HREF("../images/cover%201.jpg", relativeTo: "/text/one.xhtml").string)  // /images/cover 1.jpg
/// ```
public struct HREF: Sendable, Equatable {
    /// The scheme and authority, including the separator, such as `https://example.com`; empty if local.
    private let origin: String
    private let path: String
    /// The query and fragment with their `?` and `#`, as written.
    private let suffix: String
    /// Whether the HREF was absolute, so that no part of it was decoded.
    private let isUnchanged: Bool

    /// Resolves `href` against a base, which is a path or a URL. A base that ends with `/` is a folder; an empty base
    /// is the root.
    ///
    /// Paths are percent-decoded. A path that cannot be decoded counts as already decoded.
    public init(_ href: String, relativeTo base: String = "/") {
        if let scheme = Self.scheme(of: href) {
            (origin, path, suffix) = Self.split(href, scheme: scheme)
            isUnchanged = true
            return
        }
        let (baseOrigin, rawBasePath, baseSuffix) = Self.split(base, scheme: Self.scheme(of: base))
        let decodedBase = PercentCoding.decoded(rawBasePath) ?? rawBasePath
        let basePath = decodedBase.utf8.first == UInt8(ascii: "/") ? decodedBase : "/" + decodedBase
        let (_, rawPath, suffix) = Self.split(href, scheme: nil)
        let ownPath = PercentCoding.decoded(rawPath) ?? rawPath
        origin = baseOrigin
        isUnchanged = false
        if ownPath.isEmpty {
            path = DotSegments.removed(from: basePath)
            // A fragment alone keeps the query of the base; a query replaces it (RFC 3986 section 5.2.2).
            let keptQuery =
                suffix.utf8.first == UInt8(ascii: "?")
                ? "" : String(Substring(baseSuffix.utf8.prefix { $0 != UInt8(ascii: "#") }))
            self.suffix = suffix.isEmpty ? baseSuffix : keptQuery + suffix
        } else {
            let isFromRoot = ownPath.utf8.first == UInt8(ascii: "/")
            let folder = basePath.utf8.lastIndex(of: UInt8(ascii: "/")).map { basePath[...$0] } ?? "/"
            path = DotSegments.removed(from: isFromRoot ? ownPath : folder + ownPath)
            self.suffix = suffix
        }
    }

    /// The decoded HREF: a path that starts with `/`, or a URL.
    public var string: String { origin + path + suffix }

    /// The HREF as a valid URL or URL path: segments are percent-encoded, and a non-ASCII host is in Punycode.
    public var percentEncodedString: String {
        let kept = isUnchanged && !isHierarchical ? "$&+,/:=@;!*'()?#[]" : "$&+,/:=@"
        let encodedPath = PercentCoding.encoded(path, keeping: kept, keepsEncoded: isUnchanged)
        let encodedSuffix = PercentCoding.encoded(suffix, keeping: "$&+,/:=@;!*'()?#", keepsEncoded: true)
        return encodedOrigin + encodedPath + encodedSuffix
    }

    /// Whether it is a URL instead of a path of the publication.
    public var isRemote: Bool { !origin.isEmpty }

    private var isHierarchical: Bool { origin.hasSuffix("://") || origin.contains("://") }

    private var encodedOrigin: String {
        guard let mark = origin.firstRange(of: "://") else { return origin }
        let authority = origin[mark.upperBound...]
        let user = authority.lastIndex(of: "@").map { authority[...$0] } ?? ""
        let labels = authority.dropFirst(user.count).split(separator: ".", omittingEmptySubsequences: false)
        return origin[..<mark.upperBound] + user + labels.map { Punycode.label($0) }.joined(separator: ".")
    }

    // MARK: parts

    /// The scheme of an absolute URL; nil for anything else.
    private static func scheme(of text: String) -> Substring? {
        let scheme = text.prefix { $0 != ":" }
        guard scheme.endIndex < text.endIndex, let first = scheme.utf8.first,
            first | 0x20 >= UInt8(ascii: "a"),
            first | 0x20 <= UInt8(ascii: "z"),
            scheme.utf8.allSatisfy({ PercentCoding.isUnreserved($0) || $0 == UInt8(ascii: "+") })
        else { return nil }
        return scheme
    }

    private static func split(_ text: String, scheme: Substring?) -> (
        origin: String, path: String, suffix: String
    ) {
        let suffixStart =
            text.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.endIndex
        let beforeSuffix = text[..<suffixStart]
        let suffix = String(text[suffixStart...])
        guard let scheme else { return ("", String(beforeSuffix), suffix) }
        let rest = beforeSuffix[scheme.endIndex...]
        guard rest.hasPrefix("://") else {
            return (String(scheme) + ":", String(rest.dropFirst()), suffix)
        }
        let authority = rest.dropFirst(3)
        let pathStart = authority.utf8.firstIndex(of: UInt8(ascii: "/")) ?? authority.endIndex
        return (String(text[..<pathStart]), String(authority[pathStart...]), suffix)
    }
}

/// Removes the segments `.` and `..` from paths (RFC 3986 section 5.2.4).
enum DotSegments {
    /// An absolute path without them. It never leaves the root.
    static func removed(from path: String) -> String {
        var kept: [Substring] = []
        let segments = path.utf8.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
        )
        .map { Substring($0) }
        for (place, segment) in segments.enumerated() {
            let isLast = place == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/")
    }
}
