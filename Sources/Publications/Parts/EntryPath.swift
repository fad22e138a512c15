import Platform

/// Works with the paths of entries in an archive, and with the references between its parts.
enum EntryPath {
    /// The paths that a reference may mean, the most likely first; empty for a web address.
    ///
    /// References are percent-encoded, but many books write the name of an entry as it is, so both readings are
    /// returned.
    static func candidates(for reference: String, relativeTo base: String) -> [String] {
        let trimmed = reference.trimmingSpace()
        guard !trimmed.isEmpty, !hasScheme(trimmed) else { return [] }
        // Most references have only one reading.
        guard trimmed.utf8.contains(where: { "%#?".utf8.contains($0) }) else {
            return [resolve(trimmed, relativeTo: base)].compactMap { $0 }
        }
        let withoutFragment = Substring(trimmed.utf8.prefix { $0 != UInt8(ascii: "#") })
        let withoutQuery = Substring(withoutFragment.utf8.prefix { $0 != UInt8(ascii: "?") })
        var found: [String] = []
        for reading in [
            PercentCoding.lenientlyDecoded(withoutQuery), String(withoutQuery),
            PercentCoding.lenientlyDecoded(withoutFragment),
            trimmed,
        ] {
            guard let reading, let path = resolve(reading, relativeTo: base), !found.contains(path) else {
                continue
            }
            found.append(path)
        }
        return found
    }

    /// The reference joined to the folder of `base`, with `.` and `..` resolved; nil if the result is empty.
    ///
    /// A `..` at the root is ignored (RFC 3986, 5.2.4), so that no path leaves the archive.
    static func resolve(_ reference: String, relativeTo base: String) -> String? {
        let reference =
            reference.utf8.contains(UInt8(ascii: "\\")) ? reference.replacing("\\", with: "/") : reference
        var parts: [Substring] = []
        if !reference.isAbsolutePath {
            parts = base.pathNames.dropLast()
        }
        for part in reference.pathNames where part != "." {
            if part == ".." {
                _ = parts.popLast()
            } else {
                parts.append(part)
            }
        }
        return parts.isEmpty ? nil : parts.joined(separator: "/")
    }

    /// The last segment of a path.
    static func name(of path: String) -> Substring { path.pathName }

    /// The part after the last dot of the last segment, in lower case; empty if there is no dot.
    static func fileExtension(of path: String) -> String {
        path.pathName.nameEnding.lowercased()
    }

    /// The number of folders in the path.
    static func depth(of path: String) -> Int {
        path.utf8.reduce(0) { $0 + ($1 == UInt8(ascii: "/") ? 1 : 0) }
    }

    private static func hasScheme(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return false }
        let scheme = text[..<colon]
        // One letter is the drive of a path that a program left in by mistake. It is not the scheme of a web address.
        return scheme.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
        }
    }
}
