import Platform

/// The file name that a `Content-Disposition` header suggests (RFC 6266).
package enum ContentDisposition {
    /// The last segment of the suggested name; nil if there is none.
    ///
    /// `filename*` wins over `filename` (RFC 6266 section 4.3), its octets decoded by UTF-8 or ISO 8859-1 (RFC 8187). The
    /// name is a suggestion of a stranger: whatever path it spells is dropped.
    package static func fileName(_ header: String) -> String? {
        var header = header
        let (plain, extended) = header.withUTF8 { bytes in
            var plain: String?
            var extended: String?
            var scanner = HeaderScanner(bytes)
            _ = scanner.untilSeparator(nil)
            while let (name, value) = scanner.nextParameter() {
                if name == "filename" { plain = plain ?? value }
                if name == "filename*" { extended = extended ?? decoded(value) }
            }
            return (plain, extended)
        }
        return (extended ?? plain).flatMap(lastSegment)
    }

    /// The value of `charset'language'octets`; nil if it is malformed or in another charset.
    private static func decoded(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let octets = PercentCoding.bytes(parts[2].utf8) else { return nil }
        switch HTTPToken.lowered(String(parts[0])) {
        case "utf-8": return String(validating: octets, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(octets.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }

    private static func lastSegment(_ name: String) -> String? {
        let bytes = name.utf8
        let start = bytes.lastIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        let segment = start.map { bytes[bytes.index(after: $0)...] } ?? bytes[...]
        return segment.isEmpty ? nil : String(decoding: segment, as: UTF8.self)
    }
}
