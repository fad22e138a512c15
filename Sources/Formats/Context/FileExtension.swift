/// File extensions of names and of hints, as bytes: no locale, no Unicode equivalence.
enum FileExtension {
    /// The part after the last dot of the last segment; nil if that is empty, or all that precedes it is.
    ///
    /// Solidi at the end are ignored, since a folder may be named like a book.
    static func ofPath(_ path: String) -> String? {
        range(inPath: path.utf8).map { String(decoding: path.utf8[$0], as: UTF8.self) }
    }

    /// Where the extension stands in a path.
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
                // A name that begins with its only dot is hidden and has no extension.
                let isFirst =
                    before == path.startIndex || path[path.index(before: before)] == UInt8(ascii: "/")
                return isFirst || position == end ? nil : position..<end
            case UInt8(ascii: "/"): return nil
            default: position = before
            }
        }
        return nil
    }

    /// A hint without blanks around it and one leading dot, in lower case; nil if it can match nothing.
    static func normalised(_ hint: String) -> String? {
        let bytes = trimmed(hint.utf8)
        guard !bytes.isEmpty, !bytes.contains(where: { $0 == UInt8(ascii: "/") || HTTPToken.isBlank($0) })
        else { return nil }
        return String(decoding: bytes.map(HTTPToken.lowered), as: UTF8.self)
    }

    /// The bytes without blanks around them and one leading dot.
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
