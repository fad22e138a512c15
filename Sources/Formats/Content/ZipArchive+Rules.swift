import Archives

/// What the rules ask of an archive (format reference, section 8).
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
