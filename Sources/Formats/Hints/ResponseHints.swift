import Platform

/// The hints in an HTTP response, in the order of the proposal.
///
/// They are derived from texts only, so that any HTTP client can use them.
///
/// ```swift
/// let hints = ResponseHints(
///     headers: [("Content-Disposition", "attachment; filename=emma.epub")],
///     addresses: ["https://example.com/download?id=12"])
/// print(hints.fileExtensions)  // ["epub"]
/// print(Format.guess(fileExtensions: hints.fileExtensions, mediaTypes: hints.mediaTypes)?.name ?? "unknown")
/// ```
public struct ResponseHints: Sendable, Equatable {
    /// The extensions of the suggested file name and of the addresses, followed by additional ones.
    public let fileExtensions: [String]
    /// The media types from `Content-Type`, followed by additional ones.
    public let mediaTypes: [String]

    /// Creates hints from header values and addresses.
    ///
    /// `addresses`: the addresses of the response; after redirects, the last one comes first.
    public init(
        contentDisposition: String?, contentType: String?, addresses: [String], fileExtensions: [String] = [],
        mediaTypes: [String] = []
    ) {
        var extensions: [String] = []
        if let name = contentDisposition.flatMap(ContentDisposition.fileName),
            let own = FileExtension.ofPath(name)
        {
            extensions.append(own)
        }
        for address in addresses {
            if let own = AddressExtension.of(address), !extensions.contains(own) { extensions.append(own) }
        }
        self.fileExtensions = extensions + fileExtensions
        self.mediaTypes = (contentType.map { [$0] } ?? []) + mediaTypes
    }

    /// Creates hints from all headers of a response. Names are case-insensitive; the first value of a repeated header
    /// counts.
    public init(
        headers: [(String, String)], addresses: [String],
        fileExtensions: [String] = [],
        mediaTypes: [String] = []
    ) {
        var disposition: String?
        var type: String?
        for (name, value) in headers {
            switch HTTPToken.lowered(name) {
            case "content-disposition": disposition = disposition ?? value
            case "content-type": type = type ?? value
            default: break
            }
        }
        self.init(
            contentDisposition: disposition, contentType: type, addresses: addresses,
            fileExtensions: fileExtensions,
            mediaTypes: mediaTypes)
    }
}

/// Parses the file name that a `Content-Disposition` header suggests (RFC 6266).
package enum ContentDisposition {
    /// The last path segment of the suggested name; nil if there is none.
    ///
    /// `filename*` takes precedence over `filename` (RFC 6266 section 4.3). Its octets are decoded as UTF-8 or ISO
    /// 8859-1 (RFC 8187). The name comes from an untrusted server, so its folders are removed.
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

    /// Decodes `charset'language'octets`; nil if it is malformed or in another charset.
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
