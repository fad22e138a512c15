import Platform

/// Paths below the root of a fetcher, as an HREF may name them.
package enum LocalPath {
    /// What an HREF may name, most literal first: the HREF as given, without query and fragment, and both percent-decoded.
    ///
    /// A literal name with `?`, `#` or `%` thus wins over its interpretation. The texts are not normalised yet.
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

    /// The segments of a path without empty ones and dots; nil if it climbs above the root, contains a NUL, names nothing, or
    /// names a folder by a slash at its end.
    ///
    /// A backslash is an ordinary character.
    package static func segments(_ path: String) -> [Substring]? {
        guard path.utf8.last != UInt8(ascii: "/"), let segments = mappedSegments(path), !segments.isEmpty
        else {
            return nil
        }
        return segments
    }

    /// As `segments`, with the root and folders being allowed.
    package static func mappedSegments(_ path: String) -> [Substring]? {
        guard !path.utf8.contains(0) else { return nil }
        var segments: [Substring] = []
        // By bytes: a combining character behind a solidus makes another Character of it.
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
