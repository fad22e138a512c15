import Platform
import PropertyLists

/// The groups of one kind: a comment such as `@comment{BibDesk Static Groups{ ... }}` with a property list inside.
public struct GroupBlock: Sendable {
    /// The kind of its groups.
    public let kind: BibTeXGroup.Kind
    /// The groups in the order of the file.
    public private(set) var groups: [BibTeXGroup]
    /// The bytes of the block as it was read.
    private let bytes: [UInt8]
    /// The range of the property list in the bytes.
    private let list: Range<Int>

    /// Reads a block; nil if it does not hold groups or they cannot be read.
    public init?(_ block: BibTeXBlock) {
        guard block.kind == .comment, let (kind, list) = Self.place(block) else { return nil }
        self.kind = kind
        self.list = list
        bytes = Array(block.bytes)
        let limits = PropertyListLimits(bytes: 64 << 20, values: 1_000_000, depth: 16)
        let parsed: PropertyList?
        do {
            parsed = try PropertyList(parsing: bytes[list].drop(while: BibTeXBytes.isSpace), limits: limits)
        } catch {
            parsed = nil
        }
        guard let stored = parsed?.array else { return nil }
        groups = stored.map { BibTeXGroup(kind: kind, stored: $0) }
    }

    /// Whether a comment is a block of groups, even if they cannot be read.
    package static func isGroupBlock(_ block: BibTeXBlock) -> Bool {
        block.kind == .comment && place(block) != nil
    }

    /// The kind of a block of groups, even if they cannot be read; nil for any other block.
    static func kind(of block: BibTeXBlock) -> BibTeXGroup.Kind? {
        block.kind == .comment ? place(block)?.0 : nil
    }

    private static func place(_ block: BibTeXBlock) -> (BibTeXGroup.Kind, Range<Int>)? {
        let content = Array(block.bytes(block.content))
        let start = content.firstIndex { !BibTeXBytes.isSpace($0) } ?? 0
        for kind in BibTeXGroup.Kind.allCases {
            let mark = Array("BibDesk \(kind.rawValue) Groups".utf8)
            guard content[start...].starts(with: mark) else { continue }
            let rest = content[(start + mark.count)...]
            guard let open = rest.firstIndex(of: BibTeXBytes.openBrace),
                let close = rest.lastIndex(of: BibTeXBytes.closeBrace), close > open
            else { return nil }
            let offset = block.content.start
            return (kind, (offset + open + 1)..<(offset + close))
        }
        return nil
    }

    // MARK: writing

    /// The bytes of a new block.
    package static func written(
        _ kind: BibTeXGroup.Kind, _ groups: [BibTeXGroup], lineEnd: String
    ) throws(PropertyListError) -> [UInt8] {
        let list = try PropertyList.array(groups.map(\.stored)).encoded(.xml)
        let text =
            "@comment{BibDesk \(kind.rawValue) Groups{\n" + String(decoding: list, as: UTF8.self) + "}}"
        return Array(text.replacing("\n", with: lineEnd).utf8)
    }

    /// The bytes of the block with changed groups. If only keys changed, only these are rewritten; after any other
    /// change the whole block is.
    package func bytes(with changed: [BibTeXGroup], lineEnd: String) throws(PropertyListError) -> [UInt8] {
        if changed == groups { return bytes }
        if kind == .fixed, let edited = editedKeys(changed) { return edited }
        let new = try PropertyList.array(changed.map(\.stored)).encoded(.xml)
        let text = lineEnd + String(decoding: new, as: UTF8.self).replacing("\n", with: lineEnd)
        return Array(bytes[..<list.lowerBound]) + Array(text.utf8) + Array(bytes[list.upperBound...])
    }

    /// The bytes with only the texts of `keys` rewritten; nil if anything else changed or the list has an unusual
    /// layout.
    private func editedKeys(_ changed: [BibTeXGroup]) -> [UInt8]? {
        guard changed.count == groups.count,
            zip(changed, groups).allSatisfy({ $0.name == $1.name && $0.stored.dictionary?.count == 2 })
        else { return nil }
        let places = keyTexts()
        guard places.count == groups.count else { return nil }
        var result = bytes
        for ((new, old), place) in zip(zip(changed, groups), places).reversed() where new != old {
            let keys = new.stored["keys"]?.string ?? ""
            // The caller then reports that the complete list cannot be written.
            guard keys.unicodeScalars.allSatisfy(XMLText.isAllowed) else { return nil }
            result.replaceSubrange(place, with: Array("<string>\(XMLText.escaped(keys))</string>".utf8))
        }
        return result
    }

    /// The elements after each `<key>keys</key>`. Empty if comments or other sections of the list may hide some.
    private func keyTexts() -> [Range<Int>] {
        let text = bytes[list]
        var places: [Range<Int>] = []
        var index = text.startIndex
        func has(_ mark: String, _ place: Int) -> Bool { text[place...].starts(with: mark.utf8) }
        while let open = text[index...].firstIndex(of: UInt8(ascii: "<")) {
            if has("<!--", open) || has("<![CDATA[", open) { return [] }
            index = open + 1
            guard has("<key>keys</key>", open) else { continue }
            guard let value = text[(open + 15)...].firstIndex(where: { !BibTeXBytes.isSpace($0) }) else {
                return []
            }
            if has("<string/>", value) {
                places.append(value..<(value + 9))
            } else if has("<string>", value),
                let end = text[(value + 8)...].firstIndex(of: UInt8(ascii: "<")), has("</string>", end)
            {
                places.append(value..<(end + 9))
            } else {
                return []
            }
        }
        return places
    }
}
