/// The parts of a path, byte by byte as file systems see them: Swift takes a slash or a dot, and a mark that combines with it,
/// for one character.
extension StringProtocol where SubSequence == Substring, UTF8View: BidirectionalCollection {
    /// Whether it begins with a slash.
    package var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }

    /// Whether it ends in a slash, as paths of folders may.
    package var endsInSlash: Bool { utf8.last == UInt8(ascii: "/") }

    /// Whether it has a slash anywhere.
    package var hasSlash: Bool { utf8.contains(UInt8(ascii: "/")) }

    /// What stands between the slashes, without empty parts.
    package var pathNames: [Substring] {
        pathParts.filter { !$0.isEmpty }
    }

    /// What stands between the slashes, also nothing.
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

    /// What stands after the last slash; all of it if there is none.
    package var pathName: Substring {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return self[...] }
        return self[utf8.index(after: slash)...]
    }

    /// What stands before the last slash, empty for a name in the root folder; nil if there is no slash.
    package var pathFolder: Substring? {
        utf8.lastIndex(of: UInt8(ascii: "/")).map { self[..<$0] }
    }

    /// The path without the slashes that it begins with.
    package var withoutFirstSlashes: Substring {
        self[(utf8.firstIndex { $0 != UInt8(ascii: "/") } ?? endIndex)...]
    }

    /// A name up to its last dot; all of it if it has none or begins with it.
    package var nameStem: Substring {
        guard let dot = utf8.lastIndex(of: UInt8(ascii: ".")), dot > startIndex else { return self[...] }
        return self[..<dot]
    }

    /// What stands after the last dot of a name; empty if it has none or begins with it.
    package var nameEnding: Substring {
        guard let dot = utf8.lastIndex(of: UInt8(ascii: ".")), dot > startIndex else {
            return self[endIndex...]
        }
        return self[utf8.index(after: dot)...]
    }
}
