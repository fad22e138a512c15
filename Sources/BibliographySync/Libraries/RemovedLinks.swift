import BibTeX
import BibTeXMerging

/// Links to papers that the device removed from entries without adding others. A removed link is a deletion, so
/// without `--delete` it stays on the host and is not restored on the device. If an entry also got another link, it
/// was edited, and the removal is an ordinary change.
struct RemovedLinks {
    /// The links that an entry lost.
    struct Loss {
        /// The cite key in the base.
        let key: String
        /// Its paths in BibDesk's links.
        let paths: Set<String>
        /// The fields with links of other programs, by name in lower case.
        let fields: [String: BibTeXValue]
        /// The index of the entry in the base, and on the device.
        fileprivate let places: (base: Int, device: Int)

        /// The paths of the lost links that an entry has.
        func paths(in block: BibTeXBlock) -> [String] {
            let own = block.linkedFiles.compactMap(\.normalizedPath).filter(paths.contains)
            let hasForeign = fields.contains { has($0.key, $0.value, block) }
            return own + (hasForeign ? block.foreignLinks.map { LinkedPath.normalized($0.path) } : [])
        }

        /// An entry without the lost links; nil if it cannot be changed.
        fileprivate func removed(from block: BibTeXBlock, named: (String) -> String) -> BibTeXBlock? {
            let links = block.linkedFiles
            let left = links.filter { !($0.normalizedPath.map(paths.contains) ?? false) }
            var result =
                left.count == links.count ? block : BibTeXDocument.setting(left, of: block, named: named)
            for (name, value) in fields where has(name, value, block) { result = result?.removing(name) }
            return result
        }

        /// Whether an entry still has the value that the device's entry lost. A value that the host changed is a
        /// different link.
        private func has(_ name: String, _ value: BibTeXValue, _ block: BibTeXBlock) -> Bool {
            block.value(name)?.canonical() == value
        }
    }

    private let base: BibTeXDocument
    private(set) var losses: [Loss] = []

    /// The fields in which other programs keep links.
    private static let foreign = ["file", "local-url"]

    /// The links that the device removed since the base.
    init(from base: BibTeXDocument, to device: BibTeXDocument) {
        self.base = base
        for (old, new) in EntryPairs.versions(of: base, in: device) { note((old, new), device) }
        losses.sort { $0.places.base < $1.places.base }
    }

    private mutating func note(_ places: (base: Int, device: Int), _ device: BibTeXDocument) {
        let (old, new) = (base.blocks[places.base], device.blocks[places.device])
        guard old.body != new.body, let key = old.key, !old.isOpaque, !new.isOpaque,
            !new.isOtherWork(than: old)
        else { return }
        let before = Set(old.linkedFiles.compactMap(\.normalizedPath))
        let after = Set(new.linkedFiles.compactMap(\.normalizedPath))
        guard after.isSubset(of: before) else { return }
        var fields: [String: BibTeXValue] = [:]
        if !old.foreignLinks.isEmpty {
            for name in Self.foreign where new.value(name) == nil {
                fields[name] = old.value(name)?.canonical()
            }
        }
        guard after.count < before.count || !fields.isEmpty else { return }
        // A link that moved to a field of other programs is still there.
        let moved = Set(new.foreignLinks.map { LinkedPath.normalized($0.path) })
            .subtracting(old.foreignLinks.map { LinkedPath.normalized($0.path) })
        guard moved.isEmpty else { return }
        losses.append(Loss(key: key, paths: before.subtracting(after), fields: fields, places: places))
    }

    private static func places(_ document: BibTeXDocument) -> [String: [Int]] {
        var places: [String: [Int]] = [:]
        for index in document.entryIndexes {
            if let key = document.blocks[index].key { places[key.lowercased(), default: []].append(index) }
        }
        return places
    }

    // MARK: putting back

    /// The device's library with the earlier links, so that a merge treats them as unchanged.
    ///
    /// - Parameter device: the library in which they are missing.
    /// - Parameter readsArchivesOnly: whether the device's links are in the form of BibDesk's app.
    func putBack(into device: BibTeXDocument, readsArchivesOnly: Bool) -> BibTeXDocument {
        guard !losses.isEmpty else { return device }
        var device = device
        let sent = base.forApp(readsArchivesOnly: readsArchivesOnly)
        let style = device.fieldNameStyle
        for loss in losses {
            let old = sent.blocks[loss.places.base]
            device.change(loss.places.device) { block in
                // If the entry has no other change, restore the entry that was sent.
                if loss.removed(from: old, named: sent.fieldNameStyle.written)?.body == block.body,
                    let whole = BibTeXBlock.read(Array(block.bytes(block.leading)) + old.body, block.encoding)
                {
                    return whole
                }
                return Self.restored(loss, old, block, style)
            }
        }
        return device
    }

    private static func restored(
        _ loss: Loss, _ old: BibTeXBlock, _ block: BibTeXBlock, _ style: FieldNameStyle
    ) -> BibTeXBlock? {
        var result: BibTeXBlock? = block
        if !loss.paths.isEmpty {
            let links = block.linkedFiles
            let before = old.linkedFiles
            let left = before.compactMap(\.normalizedPath).filter { !loss.paths.contains($0) }
            let isInOrder = links.compactMap(\.normalizedPath) == left
            let lost = before.filter { $0.normalizedPath.map(loss.paths.contains) ?? false }
            result = BibTeXDocument.setting(
                isInOrder ? before : links + lost, of: block, named: style.written)
        }
        for field in loss.fields.keys.sorted() {
            guard let value = old.value(field) else { continue }
            result = result?.setting(style.written(field), to: value)
        }
        return result
    }

    // MARK: holding back

    /// Removes the links from a library for the device.
    ///
    /// - Parameter device: the merged library with the links.
    /// - Parameter renamed: new cite keys by those in the base.
    /// - Returns: the links that were removed, by cite key and path.
    func remove(
        from device: inout BibTeXDocument, renamed: [String: String]
    ) -> [(key: String, path: String)] {
        guard !losses.isEmpty else { return [] }
        let style = device.fieldNameStyle
        let places = Self.places(device)
        var removed: [(key: String, path: String)] = []
        var done: Set<Int> = []
        for loss in losses {
            let key = renamed[loss.key] ?? loss.key
            // Of entries with one key, each loss is of one.
            for index in places[key.lowercased()] ?? [] where !done.contains(index) {
                let paths = loss.paths(in: device.blocks[index])
                guard !paths.isEmpty,
                    device.change(index, { loss.removed(from: $0, named: style.written) })
                else { continue }
                done.insert(index)
                removed += paths.map { (device.blocks[index].key ?? key, $0) }
                break
            }
        }
        return removed
    }

    /// The entries of a library that lose links in a merge, as the file contains them.
    ///
    /// - Parameter before: the library before the merge.
    /// - Parameter after: the merged library.
    /// - Parameter renamed: new cite keys by those in the base.
    func entries(
        losingLinksFrom before: BibTeXDocument, to after: BibTeXDocument, renamed: [String: String]
    ) -> [[UInt8]] {
        guard !losses.isEmpty else { return [] }
        let (old, new) = (Self.places(before), Self.places(after))
        return losses.flatMap { loss -> [[UInt8]] in
            let key = (renamed[loss.key] ?? loss.key).lowercased()
            // An entry that is deleted as a whole is recorded as such.
            guard let present = new[key] else { return [] }
            let left = Set(present.flatMap { loss.paths(in: after.blocks[$0]) })
            return (old[loss.key.lowercased()] ?? old[key] ?? []).map { before.blocks[$0] }
                .filter { !Set(loss.paths(in: $0)).isSubset(of: left) }.map { Array($0.body) }
        }
    }
}
