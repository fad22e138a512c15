/// The parts of a path, byte by byte as file systems see them. Swift, in contrast, takes a slash or dot with a
/// combining mark for one character.
extension StringProtocol where SubSequence == Substring, UTF8View: BidirectionalCollection {
    /// Whether the path begins with a slash.
    package var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }

    /// Whether the path ends in a slash, as paths of folders may.
    package var endsInSlash: Bool { utf8.last == UInt8(ascii: "/") }

    /// Whether the path contains a slash.
    package var hasSlash: Bool { utf8.contains(UInt8(ascii: "/")) }

    /// The parts between slashes, without empty ones.
    package var pathNames: [Substring] {
        pathParts.filter { !$0.isEmpty }
    }

    /// The parts between slashes, including empty ones.
    package var pathParts: [Substring] {
        var parts: [Substring] = []
        var start = startIndex
        var place = startIndex
        while place < endIndex {
            if utf8[place] == UInt8(ascii: "/") {
                parts.append(self[start..<place])
                start = utf8.index(after: place)
            }
            utf8.formIndex(after: &place)
        }
        parts.append(self[start...])
        return parts
    }

    /// Whether `holds` is true for the bytes of all parts between slashes, including empty ones. Does not allocate
    /// memory for the parts.
    @inlinable
    package func allPathParts(_ holds: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        var text = String(self)
        return text.withUTF8 { bytes in
            var start = 0
            for end in 0...bytes.count where end == bytes.count || bytes[end] == UInt8(ascii: "/") {
                guard holds(UnsafeBufferPointer(rebasing: bytes[start..<end])) else { return false }
                start = end + 1
            }
            return true
        }
    }

    /// The part after the last slash; the whole path if there is none.
    package var pathName: Substring {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return self[...] }
        return self[utf8.index(after: slash)...]
    }

    /// The part before the last slash, which is empty for a name in the root folder; nil if there is no slash.
    package var pathFolder: Substring? {
        utf8.lastIndex(of: UInt8(ascii: "/")).map { self[..<$0] }
    }

    /// The path without its leading slashes.
    package var withoutFirstSlashes: Substring {
        self[(utf8.firstIndex { $0 != UInt8(ascii: "/") } ?? endIndex)...]
    }

    /// The name up to its last dot; the whole name if it has no dot or begins with its only one.
    @inlinable
    package var nameStem: Substring {
        guard let dot = utf8.lastIndex(of: UInt8(ascii: ".")), dot > startIndex else { return self[...] }
        return self[..<dot]
    }

    /// The part of a name after its last dot; empty if it has no dot or begins with its only one.
    @inlinable
    package var nameEnding: Substring {
        guard let dot = utf8.lastIndex(of: UInt8(ascii: ".")), dot > startIndex else {
            return self[endIndex...]
        }
        return self[utf8.index(after: dot)...]
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes are `.` or `..`.
    @inlinable
    package var isDotName: Bool {
        (count == 1 || count == 2) && allSatisfy { $0 == UInt8(ascii: ".") }
    }
}
