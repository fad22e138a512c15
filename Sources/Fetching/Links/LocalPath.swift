import Platform

/// Converts HREFs to paths below the root of a fetcher.
package enum LocalPath {
    /// The paths that an HREF may mean, the most literal first: the HREF as given, without query and fragment, and
    /// both percent-decoded.
    ///
    /// A name that contains `?`, `#` or `%` literally therefore has precedence. The paths are not normalized yet.
    package static func candidates(_ href: String) -> [String] {
        let cut = String(Substring(href.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }))
        var result: [String] = []
        for candidate in [href, cut, PercentCoding.decoded(href), PercentCoding.decoded(cut)] {
            guard let candidate, !result.contains(where: { $0.utf8.elementsEqual(candidate.utf8) }) else {
                continue
            }
            result.append(candidate)
        }
        return result
    }

    /// The segments of a path without empty ones and dots. Nil if it leaves the root, contains a NUL, is empty, or
    /// names a folder by a trailing slash.
    ///
    /// A backslash is an ordinary character.
    package static func segments(_ path: String) -> [Substring]? {
        guard path.utf8.last != UInt8(ascii: "/"), let segments = mappedSegments(path), !segments.isEmpty
        else {
            return nil
        }
        return segments
    }

    /// Like `segments`, but also allows the root and folders.
    package static func mappedSegments(_ path: String) -> [Substring]? {
        guard !path.utf8.contains(0) else { return nil }
        var segments: [Substring] = []
        // Splits by bytes, because a slash followed by a combining mark is a different Character.
        for segment in path.utf8.split(separator: UInt8(ascii: "/")).map({ Substring($0) }) {
            switch segment {
            case ".": continue
            case "..":
                guard segments.popLast() != nil else { return nil }
            default: segments.append(segment)
            }
        }
        return segments
    }
}
