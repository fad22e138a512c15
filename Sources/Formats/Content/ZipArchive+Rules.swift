import Archives

/// What the rules ask of an archive.
extension ZipArchive {
    /// The entry of exactly this path, also if the archive spells it with a solidus in front.
    func rootEntry(_ path: String) -> ZipEntry? {
        if let entry = entry(path) { return entry }
        guard !refusedEntries.isEmpty else { return nil }
        let spelled = "/" + path
        return refusedEntries.first { $0.withPathBytes { $0.elementsEqual(spelled.utf8) } }
    }

    /// The outline of a JSON document in the archive; nil if it is missing, unreadable, too long or no JSON.
    func outline(ofRootEntry path: String) -> JSONOutline? {
        guard let entry = rootEntry(path), entry.length <= Int64(SniffLimits.document) else { return nil }
        do throws(ArchiveError) { return JSONOutline(document: [UInt8](try read(entry))) } catch {
            return nil
        }
    }

    /// Whether there are entries that count, and all of them have one of the extensions.
    ///
    /// Hidden files, what macOS puts beside files, and the thumbnails of Windows do not count. Names suffice: what is
    /// encrypted is not read, and a name too dangerous to be looked up still counts.
    func holdsOnly(_ extensions: ExtensionSet) -> Bool {
        var counted = false
        for list in [entries, refusedEntries] {
            for entry in list {
                switch entry.withPathBytes({ extensions.judge($0) }) {
                case .ignored: continue
                case .listed: counted = true
                case .other: return false
                }
            }
        }
        return counted
    }
}

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
