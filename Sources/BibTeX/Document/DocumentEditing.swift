import PropertyLists

/// Edits a document.
extension BibTeXDocument {
    /// A field name in the style of this file: `Date-Added` or `date-added`.
    public func fieldName(_ name: String) -> String { fieldNameStyle.written(name) }

    /// The style in which this file writes field names, determined once for many names.
    public var fieldNameStyle: FieldNameStyle {
        var capitals = 0
        var others = 0
        for block in blocks.prefix(1000) where block.kind == .entry {
            for field in block.fields {
                guard let first = block.bytes(field.name).first else { continue }
                if (0x41...0x5A).contains(first) { capitals += 1 } else { others += 1 }
            }
        }
        return capitals > others ? .capitalized : .lowercase
    }

    /// The bytes of a new entry in BibDesk's layout: the fields by name, then the links in the given order.
    public func entry(type: String, key: String, fields: [(name: String, value: BibTeXValue)]) -> [UInt8] {
        var text = "@\(type.lowercased()){\(key),"
        let style = fieldNameStyle
        func isLink(_ name: String) -> Bool { name.lowercased().hasPrefix("bdsk-") }
        let sorted =
            fields.filter { !isLink($0.name) }.sorted { $0.name.lowercased() < $1.name.lowercased() }
            + fields.filter { isLink($0.name) }
        text +=
            sorted.map { "\n\t\(style.written($0.name)) = \($0.value.written)" }.joined(separator: ",") + "}"
        return Array(text.replacing("\n", with: lineEnd).utf8)
    }

    /// Adds a block, given from its `@` on in UTF-8. An entry goes after the entries, and macros and preambles before
    /// them. If the file's encoding lacks a letter of the block, the file is converted to UTF-8.
    ///
    /// - Returns: its index; nil if the bytes are not one block.
    @discardableResult public mutating func add(_ body: [UInt8]) -> Int? {
        guard let kind = BibTeXBlock.read(body)?.kind else { return nil }
        let place = place(for: kind)
        return add([(body, "")]) == 1 ? place : nil
    }

    /// Adds many blocks as `add(_:)` does, but in time proportional to their size plus the size of the file.
    ///
    /// - Parameter bodies: blocks from their `@` on, in UTF-8, each with the text that precedes it, such as its
    ///   comments.
    /// - Returns: how many were added; anything that is not exactly one block is left out.
    @discardableResult package mutating func add(_ bodies: [(body: [UInt8], leading: String)]) -> Int {
        var read: [(block: BibTeXBlock, leading: String)] = []
        for (body, leading) in bodies {
            guard let block = BibTeXBlock.read(body), block.leading.count == 0, block.kind != .text else {
                continue
            }
            read.append((block, leading))
        }
        if encoding.isOneByte {
            let sample = emptyBlock
            let isWritable = read.allSatisfy {
                GroupBlock.isGroupBlock($0.block)
                    || ($0.block.isWritable(like: sample) && sample.encoded($0.leading) != nil)
            }
            if !isWritable { self = inUTF8() }
        }
        let gap = lineEnd + lineEnd
        var count = 0
        var start = read.startIndex
        while start < read.endIndex {
            // Consecutive blocks of one kind go to the same place.
            let kind = read[start].block.kind
            let end = read[start...].firstIndex { $0.block.kind != kind } ?? read.endIndex
            let place = place(for: kind)
            let head = place == 0 ? head : nil
            var new: [BibTeXBlock] = []
            for (block, leading) in read[start..<end] {
                let before = place == 0 && new.isEmpty ? head?.file ?? "" : gap
                if let block = added(block, behind: before + leading) { new.append(block) }
            }
            start = end
            guard !new.isEmpty else { continue }
            count += new.count
            if let head { leaveHead(head.block, gap) }
            blocks.insert(contentsOf: new, at: place)
        }
        return count
    }

    /// Adds blocks of one kind before another block, or where they belong if that is nil. If the other block is the
    /// first of the file, it stays first.
    package mutating func add(_ bodies: [(body: [UInt8], leading: String)], before index: Int?) {
        let before = blocks.count
        let kinds = Set(bodies.compactMap { BibTeXBlock.read($0.body)?.kind })
        let start = kinds.first.map(place)
        let count = add(bodies)
        guard count > 0, let index, let start, kinds.count == 1, index < start, blocks.count == before + count
        else {
            return
        }
        var new = Array(blocks[start..<(start + count)])
        blocks.removeSubrange(start..<(start + count))
        if index == 0, let head {
            let own = LeadingText(before: new[0]).text.drop(while: \.isNewline)
            new[0] = new[0].leading(new[0].encoded(head.file + own) ?? Array(head.file.utf8))
            leaveHead(head.block, lineEnd + lineEnd)
        }
        blocks.insert(contentsOf: new, at: index)
    }

    /// The text before the first block, divided into that of the file, which ends a line and stays at its beginning,
    /// and that of the block. A file of text alone has no block for it. Nil for an empty file.
    private var head: (file: String, block: String)? {
        guard let first = blocks.first else { return nil }
        let text = LeadingText(before: first)
        var (file, block) = first.kind == .text ? (text.text, "") : text.parts
        if !file.isEmpty, file.last?.isNewline != true { file += lineEnd + lineEnd }
        return (file, block)
    }

    /// Reduces the text before the first block to the block's own text, because another block is inserted before it.
    private mutating func leaveHead(_ own: String, _ gap: String) {
        guard blocks[0].kind != .text else {
            blocks[0] = BlockParser.text(Array(lineEnd.utf8)[...], blocks[0].encoding)
            return
        }
        let text = gap + own.drop(while: \.isNewline)
        blocks[0] = blocks[0].leading(blocks[0].encoded(text) ?? Array(gap.utf8))
    }

    /// Whether a line is one of the header that BibDesk rewrites each time it saves a file.
    package static func isHeader(_ line: String) -> Bool { LeadingText.isHeader(line) }

    /// A UTF-8 block in the encoding of this file, with a text before it. The text is left out if it would make the
    /// block a different one.
    private func added(_ block: BibTeXBlock, behind leading: String) -> BibTeXBlock? {
        // Groups are in UTF-8 in every file.
        let encoding = self.encoding.isOneByte && !GroupBlock.isGroupBlock(block) ? self.encoding : .utf8
        guard encoding != .utf8 else {
            let bytes = Array(leading.utf8) + block.bytes
            return BibTeXBlock.read(bytes) ?? BibTeXBlock.read(Array(lineEnd.utf8) + block.bytes)
        }
        let sample = emptyBlock
        guard let body = sample.encoded(block.bodyAsText) else { return nil }
        return sample.encoded(leading).flatMap { BibTeXBlock.read($0 + body, encoding) }
            ?? BibTeXBlock.read(Array(lineEnd.utf8) + body, encoding)
    }

    /// An empty block in the encoding of this file's blocks.
    private var emptyBlock: BibTeXBlock { BlockParser.text([], encoding.isOneByte ? encoding : .utf8) }

    /// Where a new block of a kind belongs.
    package func place(for kind: BibTeXBlock.Kind) -> Int {
        let end = blocks.last?.kind == .text ? blocks.count - 1 : blocks.count
        switch kind {
        case .entry:
            if let last = blocks.lastIndex(where: { $0.kind == .entry }) { return last + 1 }
            return blocks.firstIndex(where: GroupBlock.isGroupBlock) ?? end
        case .string:
            if let last = blocks.lastIndex(where: { $0.kind == .string }) { return last + 1 }
            fallthrough
        case .preamble, .info:
            // The header belongs to the first block and stays at the beginning.
            guard let first = blocks.firstIndex(where: { $0.kind == .entry }) else { return end }
            return first
        case .comment, .text: return end
        }
    }

    /// Removes a block. Comments before it stay.
    public mutating func remove(_ index: Int) {
        let block = blocks.remove(at: index)
        let text = LeadingText(before: block)
        guard index == 0 || !text.isBlank else { return }
        guard index < blocks.count else {
            if !text.bytes.isEmpty { blocks.append(emptyBlock.following([text])) }
            return
        }
        blocks[index] = blocks[index].following([text])
    }

    /// Removes many blocks, in one pass. Comments before them stay.
    package mutating func remove(_ indexes: Set<Int>) {
        guard indexes.count > 4 else {
            for index in indexes.sorted(by: >) { remove(index) }
            return
        }
        var kept: [BibTeXBlock] = []
        kept.reserveCapacity(blocks.count)
        var waiting: [LeadingText] = []
        for (index, block) in blocks.enumerated() {
            guard indexes.contains(index) else {
                kept.append(waiting.isEmpty ? block : block.following(waiting))
                waiting = []
                continue
            }
            let text = LeadingText(before: block)
            if index == 0 || !text.isBlank { waiting.append(text) }
        }
        if !waiting.isEmpty { kept.append(emptyBlock.following(waiting)) }
        blocks = kept
    }

    /// Replaces a block with the result of `body`.
    ///
    /// - Returns: whether the block could be changed.
    @discardableResult public mutating func change(_ index: Int, _ body: (BibTeXBlock) -> BibTeXBlock?)
        -> Bool
    {
        if let changed = body(blocks[index]) {
            blocks[index] = changed
            return true
        }
        // The file is converted to UTF-8 if its encoding lacks a letter.
        guard encoding.isOneByte, !blocks[index].isOpaque else { return false }
        self = inUTF8()
        guard let changed = body(blocks[index]) else { return false }
        blocks[index] = changed
        return true
    }

    // MARK: groups

    /// The groups that the file stores, in file order.
    public var groups: [BibTeXGroup] { blocks.compactMap(GroupBlock.init).flatMap(\.groups) }

    /// Sets the groups of one kind, and adds or removes a block as needed.
    ///
    /// - Returns: whether this was possible; a block of groups that cannot be read is not changed.
    @discardableResult public mutating func setGroups(_ kind: BibTeXGroup.Kind, _ groups: [BibTeXGroup])
        -> Bool
    {
        let former = blocks.indices.compactMap { place in
            GroupBlock(blocks[place]).flatMap { $0.kind == kind ? (place: place, block: $0) : nil }
        }
        guard !former.isEmpty else {
            guard !groups.isEmpty else { return true }
            // BibDesk writes the blocks of groups in the order of their kinds.
            let later = BibTeXGroup.Kind.allCases.drop { $0 != kind }.dropFirst()
            let place = blocks.firstIndex { block in
                GroupBlock.kind(of: block).map(later.contains) ?? false
            }
            let count = blocks.count
            do {
                add([(try GroupBlock.written(kind, groups, lineEnd: lineEnd), "")], before: place)
                return blocks.count > count
            } catch { return false }
        }
        var changed: [(place: Int, block: BibTeXBlock?)] = []
        for ((place, block), own) in zip(former, Self.shares(of: groups, former.map(\.block.groups))) {
            guard own != block.groups else { continue }
            guard !own.isEmpty else {
                changed.append((place, nil))
                continue
            }
            do {
                guard let new = BibTeXBlock.read(try block.bytes(with: own, lineEnd: lineEnd)) else {
                    return false
                }
                changed.append((place, new))
            } catch { return false }
        }
        for (place, block) in changed.reversed() {
            if let block { blocks[place] = block } else { remove(place) }
        }
        return true
    }

    /// Distributes groups to several blocks. A group stays in the block that has a group of its name, and a new group
    /// is added to the first block.
    private static func shares(of groups: [BibTeXGroup], _ blocks: [[BibTeXGroup]]) -> [[BibTeXGroup]] {
        var places: [String: [Int]] = [:]
        for (place, block) in blocks.enumerated().reversed() {
            for group in block { places[group.name, default: []].append(place) }
        }
        var shares = [[BibTeXGroup]](repeating: [], count: blocks.count)
        for group in groups { shares[places[group.name]?.popLast() ?? 0].append(group) }
        return shares
    }

    /// Adds entries at the end of a static group, which is created if it does not exist.
    ///
    /// - Returns: whether the file could be changed.
    @discardableResult public mutating func add(_ keys: [String], toGroup name: String) -> Bool {
        var groups = groups.filter { $0.kind == .fixed }
        if let index = groups.firstIndex(where: { $0.name == name }) {
            let known = Set(groups[index].keys.map { $0.lowercased() })
            let new = keys.filter { !known.contains($0.lowercased()) }
            groups[index] = groups[index].listing(groups[index].keys + new)
        } else {
            groups.append(BibTeXGroup(name: name, keys: keys))
        }
        return setGroups(.fixed, groups)
    }

    /// Removes entries from a static group, which is kept even if it becomes empty.
    ///
    /// - Returns: whether the group exists and the file could be changed.
    @discardableResult public mutating func remove(_ keys: [String], fromGroup name: String) -> Bool {
        var groups = groups.filter { $0.kind == .fixed }
        guard groups.contains(where: { $0.name == name }) else { return false }
        let gone = Set(keys.map { $0.lowercased() })
        for index in groups.indices where groups[index].name == name {
            groups[index] = groups[index].listing(
                groups[index].keys.filter { !gone.contains($0.lowercased()) })
        }
        return setGroups(.fixed, groups)
    }

    // MARK: linked files

    /// The block with exactly these links to files, numbered from 1.
    public static func setting(_ links: [FileLink], of block: BibTeXBlock, named: (String) -> String)
        -> BibTeXBlock?
    {
        let old = block.linkedFileFields
        var values: [(BibTeXField, BibTeXValue)] = []
        var known: Set<Int> = []
        for (number, name, field) in old where number <= links.count && name == "bdsk-file-\(number)" {
            known.insert(number)
            let link = links[number - 1]
            if FileLink(block.value(of: field)) != link { values.append((field, link.fieldValue)) }
        }
        guard var result = block.replacing(values) else { return nil }
        for (place, link) in links.enumerated() where !known.contains(place + 1) {
            let name = named("bdsk-file-\(place + 1)")
            guard let changed = result.setting(name, to: link.fieldValue) else { return nil }
            result = changed
        }
        return result.removing(Set(old.filter { $0.number > links.count }.map(\.name)))
    }
}

/// How a file capitalizes field names.
public enum FieldNameStyle: Sendable, Hashable {
    /// `date-added`
    case lowercase
    /// `Date-Added`
    case capitalized

    /// A name in this style.
    public func written(_ name: String) -> String {
        guard self == .capitalized else { return name.lowercased() }
        return name.lowercased().split(separator: "-", omittingEmptySubsequences: false)
            .map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "-")
    }
}

extension BibTeXBlock {
    /// The text from the `@` on.
    fileprivate var bodyAsText: String { encoding.text(body) }
}
