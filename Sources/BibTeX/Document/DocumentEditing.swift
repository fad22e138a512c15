import PropertyLists

/// Changes of a document.
extension BibTeXDocument {
    /// The name of a field as this file writes names: `Date-Added` or `date-added`.
    public func fieldName(_ name: String) -> String {
        var capitals = 0
        var others = 0
        for block in blocks.prefix(1000) where block.kind == .entry {
            for field in block.fields {
                guard let first = block.bytes(field.name).first else { continue }
                if (0x41...0x5A).contains(first) { capitals += 1 } else { others += 1 }
            }
        }
        guard capitals > others else { return name.lowercased() }
        return name.lowercased().split(separator: "-", omittingEmptySubsequences: false)
            .map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "-")
    }

    /// The bytes of a new entry in BibDesk's layout.
    public func entry(type: String, key: String, fields: [(name: String, value: BibTeXValue)]) -> [UInt8] {
        var text = "@\(type.lowercased()){\(key),"
        text += fields.map { "\n\t\(fieldName($0.name)) = \($0.value.written)" }.joined(separator: ",") + "}"
        return Array(text.replacing("\n", with: lineEnd).utf8)
    }

    /// Adds a block, from its `@` on and in UTF-8: an entry behind the entries; macros and the preamble before them. A file of
    /// another encoding becomes one of UTF-8 if the block has letters that it lacks.
    ///
    /// - Returns: its index; nil if the bytes are not one block.
    @discardableResult public mutating func add(_ body: [UInt8]) -> Int? {
        guard let read = BibTeXBlock.read(body), read.leading.count == 0, read.kind != .text else {
            return nil
        }
        var bytes = body
        // Groups are in UTF-8 in every file.
        let isGroups = GroupBlock.isGroupBlock(read)
        if encoding.isOneByte, !isGroups {
            if let encoded = blocks.first?.encoded(read.encoding.text(body)) {
                bytes = encoded
            } else {
                self = inUTF8()
            }
        }
        let place = place(for: read.kind)
        let gap = place == 0 ? "" : lineEnd + lineEnd
        let blockEncoding = encoding.isOneByte && !isGroups ? encoding : .utf8
        guard let block = BibTeXBlock.read(Array(gap.utf8) + bytes, blockEncoding) else { return nil }
        blocks.insert(block, at: place)
        // What was the first block has its header still; it follows the new one only if there was none.
        if place == 0, blocks.count > 1 {
            let next = blocks[1]
            if next.leading.count == 0 { blocks[1] = next.leading(Array((lineEnd + lineEnd).utf8)) }
        }
        return place
    }

    private func place(for kind: BibTeXBlock.Kind) -> Int {
        let end = blocks.last?.kind == .text ? blocks.count - 1 : blocks.count
        switch kind {
        case .entry:
            if let last = blocks.lastIndex(where: { $0.kind == .entry }) { return last + 1 }
            return blocks.firstIndex(where: GroupBlock.isGroupBlock) ?? end
        case .string:
            if let last = blocks.lastIndex(where: { $0.kind == .string }) { return last + 1 }
            fallthrough
        case .preamble, .info:
            // The header of the file belongs to its first block, and stays first.
            guard let first = blocks.firstIndex(where: { $0.kind == .entry }) else { return end }
            return first
        case .comment, .text: return end
        }
    }

    /// Removes a block. Comments before it stay.
    public mutating func remove(_ index: Int) {
        let block = blocks.remove(at: index)
        let leading = block.bytes(block.leading)
        guard leading.contains(where: { !BibTeXBytes.isSpace($0) }) || index == 0 else { return }
        guard index < blocks.count else {
            if !leading.isEmpty { blocks.append(BlockParser.text(Array(leading)[...])) }
            return
        }
        let next = blocks[index]
        let rest = next.bytes(next.leading)
        let isBlank = rest.allSatisfy(BibTeXBytes.isSpace)
        blocks[index] =
            next.kind == .text
            ? BlockParser.text((Array(leading) + rest)[...])
            : next.leading(isBlank ? Array(leading) : Array(leading) + rest)
    }

    /// Replaces a block by one that `body` makes of it.
    ///
    /// - Returns: whether it could be made.
    @discardableResult public mutating func change(_ index: Int, _ body: (BibTeXBlock) -> BibTeXBlock?)
        -> Bool
    {
        if let changed = body(blocks[index]) {
            blocks[index] = changed
            return true
        }
        // A letter that the encoding lacks is one of UTF-8.
        guard encoding.isOneByte, !blocks[index].isOpaque else { return false }
        self = inUTF8()
        guard let changed = body(blocks[index]) else { return false }
        blocks[index] = changed
        return true
    }

    // MARK: groups

    /// The groups that the file stores, in its order.
    public var groups: [BibTeXGroup] { blocks.compactMap(GroupBlock.init).flatMap(\.groups) }

    /// Gives the groups of one kind; a block is added or removed when it is needed or not.
    ///
    /// - Returns: whether it was possible: a block of groups that cannot be read is not changed.
    @discardableResult public mutating func setGroups(_ kind: BibTeXGroup.Kind, _ groups: [BibTeXGroup])
        -> Bool
    {
        let places = blocks.indices.filter { GroupBlock(blocks[$0])?.kind == kind }
        guard let place = places.first, let block = GroupBlock(blocks[place]) else {
            guard !groups.isEmpty else { return true }
            do { return add(try GroupBlock.written(kind, groups, lineEnd: lineEnd)) != nil } catch {
                return false
            }
        }
        // Groups of a second block of the kind stay where they are.
        let others = places.dropFirst().compactMap { GroupBlock(blocks[$0]) }.flatMap(\.groups)
        guard places.count == 1 || groups.suffix(others.count) == others[...] else { return false }
        let own = Array(groups.dropLast(others.count))
        if own.isEmpty {
            if !block.groups.isEmpty { remove(place) }
            return true
        }
        do {
            let bytes = try block.bytes(with: own, lineEnd: lineEnd)
            guard let changed = BibTeXBlock.read(bytes) else { return false }
            blocks[place] = changed
            return true
        } catch { return false }
    }

    /// Adds entries to a static group, which is made if there is none of this name, at the end of its list.
    ///
    /// - Returns: whether the file could be changed.
    @discardableResult public mutating func add(_ keys: [String], toGroup name: String) -> Bool {
        var groups = groups.filter { $0.kind == .fixed }
        if let index = groups.firstIndex(where: { $0.name == name }) {
            let known = Set(groups[index].keys.map { $0.lowercased() })
            let new = keys.filter { !known.contains($0.lowercased()) }
            groups[index] = BibTeXGroup(name: name, keys: groups[index].keys + new)
        } else {
            groups.append(BibTeXGroup(name: name, keys: keys))
        }
        return setGroups(.fixed, groups)
    }

    /// Takes entries out of a static group, which stays even if it is then empty.
    ///
    /// - Returns: whether there is such a group and the file could be changed.
    @discardableResult public mutating func remove(_ keys: [String], fromGroup name: String) -> Bool {
        var groups = groups.filter { $0.kind == .fixed }
        guard groups.contains(where: { $0.name == name }) else { return false }
        let gone = Set(keys.map { $0.lowercased() })
        for index in groups.indices where groups[index].name == name {
            groups[index] = BibTeXGroup(
                name: name, keys: groups[index].keys.filter { !gone.contains($0.lowercased()) })
        }
        return setGroups(.fixed, groups)
    }

    // MARK: linked files

    /// The block with these links to files and no others, numbered from 1.
    public static func setting(_ links: [FileLink], of block: BibTeXBlock, named: (String) -> String)
        -> BibTeXBlock?
    {
        let old = block.linkedFileFields
        var result = block
        for (place, link) in links.enumerated() {
            let name = "bdsk-file-\(place + 1)"
            if result.value(name)?.plainText == link.value { continue }
            guard let changed = result.setting(named(name), to: BibTeXValue(link.value)) else { return nil }
            result = changed
        }
        for (number, name) in old where number > links.count {
            guard let changed = result.removing(name) else { return nil }
            result = changed
        }
        return result
    }
}
