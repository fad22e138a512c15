import FoundationEssentials
import Platform

/// Finds file extensions of names and hints, as bytes without regard to locale or Unicode equivalence.
enum FileExtension {
    /// The part after the last dot of the last segment; nil if it is empty, or if nothing precedes the dot.
    ///
    /// Trailing slashes are ignored, because a folder may be named like a book.
    static func ofPath(_ path: String) -> String? {
        range(inPath: path.utf8).map { String(decoding: path.utf8[$0], as: UTF8.self) }
    }

    /// The range of the extension in a path.
    static func range<Bytes: BidirectionalCollection<UInt8>>(inPath path: Bytes) -> Range<Bytes.Index>? {
        var end = path.endIndex
        while end > path.startIndex, path[path.index(before: end)] == UInt8(ascii: "/") {
            end = path.index(before: end)
        }
        var position = end
        while position > path.startIndex {
            let before = path.index(before: position)
            switch path[before] {
            case UInt8(ascii: "."):
                // A name whose only dot is its first character is hidden and has no extension.
                let isFirst =
                    before == path.startIndex || path[path.index(before: before)] == UInt8(ascii: "/")
                return isFirst || position == end ? nil : position..<end
            case UInt8(ascii: "/"): return nil
            default: position = before
            }
        }
        return nil
    }

    /// A hint in lower case, without surrounding white space and one leading dot; nil if it can match nothing.
    static func normalised(_ hint: String) -> String? {
        let bytes = trimmed(hint.utf8)
        guard !bytes.isEmpty, !bytes.contains(where: { $0 == UInt8(ascii: "/") || HTTPToken.isBlank($0) })
        else { return nil }
        return String(decoding: bytes.map(HTTPToken.lowered), as: UTF8.self)
    }

    /// The bytes without surrounding white space and one leading dot.
    static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
        var start = bytes.startIndex
        var end = bytes.endIndex
        while start < end, HTTPToken.isBlank(bytes[start]) { start = bytes.index(after: start) }
        while end > start, HTTPToken.isBlank(bytes[bytes.index(before: end)]) {
            end = bytes.index(before: end)
        }
        if start < end, bytes[start] == UInt8(ascii: ".") { start = bytes.index(after: start) }
        return bytes[start..<end]
    }
}

/// An extension of at most 16 bytes in lower case, packed into two words so that a comparison takes one instruction
/// each.
struct ExtensionKey: Equatable {
    /// The first eight bytes.
    let low: UInt64
    /// The next eight bytes.
    let high: UInt64

    /// The key of a hint, which is normalized in the process; nil if it cannot match any rule of this module.
    @inline(__always)
    init?<Bytes: BidirectionalCollection<UInt8>>(_ hint: Bytes) {
        let bytes = FileExtension.trimmed(hint)
        var low: UInt64 = 0
        var high: UInt64 = 0
        var count: UInt64 = 0
        for byte in bytes {
            // Extensions in the rules contain only printable ASCII.
            guard count < 16, byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "/") else { return nil }
            let lowered = UInt64(HTTPToken.lowered(byte))
            if count < 8 { low |= lowered << (count * 8) } else { high |= lowered << ((count - 8) * 8) }
            count += 1
        }
        guard count > 0 else { return nil }
        self.low = low
        self.high = high
    }

    /// A hash that distributes the keys over tables.
    @inline(__always)
    var hash: Int { Int(truncatingIfNeeded: ((low ^ (high &* 31)) &* 0x9E37_79B9_7F4A_7C15) >> 56) }
}

/// Finds the file extension of a web address.
package enum AddressExtension {
    /// The extension of the last segment of the address's path, percent-decoded; nil if there is none.
    ///
    /// The query, the fragment and the host are ignored. A text that is not an address has no extension.
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

    /// The part between the authority and the query (RFC 3986 section 3).
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
