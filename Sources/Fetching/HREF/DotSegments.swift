/// The segments `.` and `..` of paths (RFC 3986 section 5.2.4).
enum DotSegments {
    /// A path from the root without them; none climbs above the root.
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
