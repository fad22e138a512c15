/// Extensions that the entries of an archive may have.
struct ExtensionSet: Sendable {
    /// What a path is to the set.
    enum Judgement {
        /// It does not count.
        case ignored
        /// Its extension is in the set.
        case listed
        /// It has another extension or none.
        case other
    }

    private let keys: [ExtensionKey]

    /// The set of these extensions, in lower case.
    init(_ extensions: [String]) { keys = extensions.compactMap { ExtensionKey($0.utf8) } }

    /// What a path in an archive is to the set.
    func judge(_ path: UnsafeRawBufferPointer) -> Judgement {
        var start = path.startIndex
        for position in path.indices where path[position] == UInt8(ascii: "/") {
            if path[start..<position].elementsEqual("__MACOSX".utf8) { return .ignored }
            start = position + 1
        }
        let name = path[start...]
        guard let first = name.first, first != UInt8(ascii: ".") else { return .ignored }
        if name.count == 9, name.elementsEqual("thumbs.db".utf8, by: { HTTPToken.lowered($0) == $1 }) {
            return .ignored
        }
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), let key = Self.key(name[(dot + 1)...]) else {
            return .other
        }
        return keys.contains(key) ? .listed : .other
    }

    /// The key of an extension as it stands: a blank in it is part of it.
    private static func key(_ bytes: UnsafeRawBufferPointer.SubSequence) -> ExtensionKey? {
        guard let first = bytes.first, let last = bytes.last, first != UInt8(ascii: "."),
            !HTTPToken.isBlank(first), !HTTPToken.isBlank(last)
        else { return nil }
        return ExtensionKey(bytes)
    }
}
