import Archives

/// The questions that the rules ask about an archive.
extension ZipArchive {
    /// The entry with exactly this path, even if the archive stores it with a leading slash.
    func rootEntry(_ path: String) -> ZipEntry? {
        if let entry = entry(path) { return entry }
        guard !refusedEntries.isEmpty else { return nil }
        let spelled = "/" + path
        return refusedEntries.first { $0.withPathBytes { $0.elementsEqual(spelled.utf8) } }
    }

    /// The outline of a JSON document in the archive; nil if it is missing, unreadable, too long or not JSON.
    func outline(ofRootEntry path: String) -> JSONOutline? {
        guard let entry = rootEntry(path), entry.length <= Int64(SniffLimits.document) else { return nil }
        do throws(ArchiveError) { return JSONOutline(document: [UInt8](try read(entry))) } catch {
            return nil
        }
    }

    /// Whether the archive has relevant entries and all of them have one of the extensions.
    ///
    /// Hidden files, macOS metadata files and Windows thumbnails are ignored. Only names are examined, so encrypted
    /// entries need not be read. An entry whose name is unsafe to look up still counts.
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

/// A set of extensions that the entries of an archive may have.
struct ExtensionSet: Sendable {
    /// The result of checking a path against the set.
    enum Judgement {
        /// The path is ignored.
        case ignored
        /// Its extension is in the set.
        case listed
        /// It has another extension, or none.
        case other
    }

    private let keys: [ExtensionKey]

    /// Creates a set of extensions, which must be in lower case.
    init(_ extensions: [String]) { keys = extensions.compactMap { ExtensionKey($0.utf8) } }

    /// Checks a path in an archive against the set.
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

    /// The key of an extension as written. Spaces in it are not removed.
    private static func key(_ bytes: UnsafeRawBufferPointer.SubSequence) -> ExtensionKey? {
        guard let first = bytes.first, let last = bytes.last, first != UInt8(ascii: "."),
            !HTTPToken.isBlank(first), !HTTPToken.isBlank(last)
        else { return nil }
        return ExtensionKey(bytes)
    }
}
