import FoundationEssentials
import Platform

/// The file extension that an address has.
package enum AddressExtension {
    /// The extension of the last segment of the address's path, percent-decoded; nil without one.
    ///
    /// Neither query nor fragment nor host counts. A text that is no address has no extension.
    package static func of(_ address: String) -> String? {
        guard URL(string: address) != nil else { return nil }
        return ofPath(path(address.utf8))
    }

    private static func ofPath(_ path: Substring.UTF8View) -> String? {
        var path = path
        while path.last == UInt8(ascii: "/") { path.removeLast() }
        let segment = path.lastIndex(of: UInt8(ascii: "/")).map { path[path.index(after: $0)...] } ?? path
        guard let bytes = PercentCoding.bytes(segment) else {
            return FileExtension.ofPath(String(decoding: segment, as: UTF8.self))
        }
        return FileExtension.ofPath(String(decoding: bytes, as: UTF8.self))
    }

    /// What stands between authority and query (RFC 3986 section 3).
    private static func path(_ address: String.UTF8View) -> Substring.UTF8View {
        var rest = address.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        if let colon = rest.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }),
            rest[colon] == UInt8(ascii: ":")
        {
            rest = rest[rest.index(after: colon)...]
        }
        guard rest.starts(with: "//".utf8) else { return rest }
        rest = rest.dropFirst(2)
        return rest.firstIndex(of: UInt8(ascii: "/")).map { rest[$0...] } ?? rest[rest.endIndex...]
    }
}
