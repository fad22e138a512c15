/// Edits a block. Each function rewrites only what it changes and copies everything else. A block that could not be
/// read is never changed.
extension BibTeXBlock {
    /// The bytes of a text in the block's encoding, with TeX commands for letters that it lacks; nil if TeX has no
    /// command either.
    ///
    /// - Parameter isVerbatim: whether to return nil instead of using commands, because programs read the text
    ///   literally.
    func encoded(_ text: String, isVerbatim: Bool = false) -> [UInt8]? {
        if let bytes = encoding.bytes(text) { return bytes }
        guard !isVerbatim else { return nil }
        var result: [UInt8] = []
        for character in text {
            let letter = String(character)
            guard let bytes = encoding.bytes(letter) ?? encoding.bytes(TeXText.encoded(letter)) else {
                return nil
            }
            result += bytes
        }
        return result
    }

    /// Whether programs read the value of a field literally, without TeX commands: it is an address or a path, or a
    /// value of BibDesk's own block.
    func isVerbatim(_ name: String) -> Bool { kind == .info || VerbatimField.isVerbatim(name) }

    /// Whether the block can be written in another encoding, with TeX commands where programs read them.
    func isWritable(like sample: BibTeXBlock) -> Bool {
        guard sample.encoded(encoding.text(body)) != nil else { return false }
        return fields.allSatisfy { field in
            !field.isReadable || !isVerbatim(name(of: field))
                || sample.encoding.bytes(text(field.value)) != nil
        }
    }

    /// The block with a new value for a field. It replaces the last field with this name, or is added after the last
    /// field. Nil if the block could not be read or its encoding lacks a letter.
    ///
    /// A new field is named exactly `name`.
    public func setting(_ name: String, to value: BibTeXValue) -> BibTeXBlock? {
        guard !isOpaque, let written = encoded(value.written, isVerbatim: isVerbatim(name)) else {
            return nil
        }
        if let field = field(name) { return changing(field.value.range, with: written) }
        guard let label = encoded(name) else { return nil }
        return inserting(label + Array(" = ".utf8) + written)
    }

    /// The same with the value as it is written, with delimiters. Also nil if the encoding lacks a letter or the text
    /// does not mean `value`.
    package func setting(_ name: String, to value: BibTeXValue, written: String) -> BibTeXBlock? {
        guard !isOpaque, let text = encoding.bytes(written), let label = encoded(name) else { return nil }
        let block =
            field(name).map { changing($0.value.range, with: text) }
            ?? inserting(label + Array(" = ".utf8) + text)
        return block?.value(name) == value ? block : nil
    }

    /// The block without the fields with a name. Nil if the block could not be read.
    public func removing(_ name: String) -> BibTeXBlock? {
        guard !isOpaque else { return nil }
        var block = self
        while let index = block.fields.lastIndex(where: { block.hasName($0, name) }) {
            guard let shorter = block.changing(block.extent(index), with: []) else { return nil }
            block = shorter
        }
        return block
    }

    /// The block without the fields with any of several names. Nil if the block could not be read.
    func removing(_ names: Set<String>) -> BibTeXBlock? {
        guard names.count > 16 else {
            var block = self
            for name in names.sorted(by: >) {
                guard let shorter = block.removing(name) else { return nil }
                block = shorter
            }
            return block
        }
        guard !isOpaque else { return nil }
        // Removing them one by one would parse the block for each of them.
        let places = fields.indices.filter { names.contains(name(of: fields[$0])) }
        return changing(places.map { (extent($0), []) })
    }

    /// The block with other values for some of its fields. Nil if the block could not be read or its encoding lacks a
    /// letter.
    func replacing(_ values: [(field: BibTeXField, value: BibTeXValue)]) -> BibTeXBlock? {
        guard !values.isEmpty else { return self }
        guard !isOpaque else { return nil }
        var changes: [(Range<Int>, [UInt8])] = []
        for (field, value) in values {
            guard let written = encoded(value.written, isVerbatim: isVerbatim(name(of: field))) else {
                return nil
            }
            changes.append((field.value.range, written))
        }
        return changing(changes)
    }

    /// The entry with another key. Nil if the block could not be read or its encoding lacks a letter of the key.
    public func renamed(_ key: String) -> BibTeXBlock? {
        guard !isOpaque, keyName.count > 0, let bytes = encoded(key) else { return nil }
        return changing(keyName.range, with: bytes)
    }

    /// The entry with another type. Nil if the block could not be read.
    public func retyped(_ type: String) -> BibTeXBlock? {
        guard !isOpaque, kind == .entry, let bytes = encoded(type) else { return nil }
        return changing(typeName.range, with: bytes)
    }

    /// The entry with a comma after its key, which btparse requires even without fields.
    var withComma: BibTeXBlock? {
        guard kind == .entry, !isOpaque, fields.isEmpty, keyName.count > 0,
            commaBehindKey == nil
        else { return nil }
        return changing(keyName.end..<keyName.end, with: [BibTeXBytes.comma])
    }

    /// The block with other text before its `@`.
    package func leading(_ text: some Collection<UInt8>) -> BibTeXBlock {
        replacing(leading.range, with: Array(text)) ?? self
    }

    /// The block with other bytes in a range; nil if the result is not a block of the same kind.
    package func replacing(_ range: Range<Int>, with new: [UInt8]) -> BibTeXBlock? {
        let start = bytes.startIndex
        let result =
            Array(bytes[start..<(start + range.lowerBound)]) + new + bytes[(start + range.upperBound)...]
        return rewritten(result)
    }

    /// The same, but also nil if the result cannot be read: in a damaged file, a block may end elsewhere than it does
    /// alone.
    private func changing(_ range: Range<Int>, with new: [UInt8]) -> BibTeXBlock? {
        replacing(range, with: new).flatMap { $0.isOpaque ? nil : $0 }
    }

    /// Changes many ranges at once. If two overlap, both ranges are replaced by the bytes of the first.
    private func changing(_ changes: [(range: Range<Int>, new: [UInt8])]) -> BibTeXBlock? {
        let start = bytes.startIndex
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var position = 0
        for (range, new) in changes.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            if range.lowerBound >= position {
                result += bytes[(start + position)..<(start + range.lowerBound)]
                result += new
            }
            position = max(position, range.upperBound)
        }
        result += bytes[(start + position)...]
        return rewritten(result).flatMap { $0.isOpaque ? nil : $0 }
    }

    /// The block with other bytes; nil if they are not a block of the same kind.
    private func rewritten(_ bytes: [UInt8]) -> BibTeXBlock? {
        guard var block = BibTeXBlock.read(bytes, encoding), block.kind == kind else { return nil }
        if LineEnd(in: bytes) == nil { block.lineEnd = lineEnd }
        return block
    }

    /// Adds a field after the last one, with the same layout.
    private func inserting(_ field: [UInt8]) -> BibTeXBlock? {
        guard let last = fields.last else {
            // The key may already have a comma.
            if let comma = commaBehindKey {
                return changing((comma + 1)..<(comma + 1), with: defaultIndent + field)
            }
            let comma = kind == .entry || kind == .info ? [BibTeXBytes.comma] : []
            let place = kind == .entry || kind == .info ? keyName.end : content.start
            return changing(place..<place, with: comma + defaultIndent + field)
        }
        let new = indent(before: last) + field
        if let comma = commaBehind(last) {
            return changing((comma + 1)..<(comma + 1), with: new + [BibTeXBytes.comma])
        }
        return changing(last.value.end..<last.value.end, with: [BibTeXBytes.comma] + new)
    }

    /// The position of the comma after a field, if only white space is in between.
    private func commaBehind(_ field: BibTeXField) -> Int? {
        let behind = bytes(BibTeXSpan(field.value.end..<content.end))
        guard let next = behind.firstIndex(where: { !BibTeXBytes.isSpace($0) }),
            behind[next] == BibTeXBytes.comma
        else { return nil }
        return next - bytes.startIndex
    }

    /// The position of the comma after the key of an entry without fields; a comma in a comment does not count.
    private var commaBehindKey: Int? {
        var isComment = false
        for (place, byte) in zip(keyName.end..., bytes(BibTeXSpan(keyName.end..<content.end))) {
            if BibTeXBytes.isLineEnd(byte) { isComment = false }
            if byte == BibTeXBytes.percent { isComment = true }
            if byte == BibTeXBytes.comma, !isComment { return place }
        }
        return nil
    }

    private var defaultIndent: [UInt8] { Array((lineEnd.text + "\t").utf8) }

    /// The white space before a field.
    private func indent(before field: BibTeXField) -> [UInt8] {
        let before = bytes(BibTeXSpan(content.start..<field.name.start))
        return Array(before.reversed().prefix(while: BibTeXBytes.isSpace).reversed())
    }

    /// The range to delete with a field: the white space before it and the comma after it. For the last field it is
    /// the comma before it, if another field precedes.
    private func extent(_ index: Int) -> Range<Int> {
        let field = fields[index]
        let gapStart = index > 0 ? fields[index - 1].value.end : max(keyName.end, content.start)
        // A comment ends with its line.
        let hasComment = bytes(BibTeXSpan(gapStart..<max(gapStart, field.name.start))).contains(
            BibTeXBytes.percent)
        let start = field.name.start - (hasComment ? 0 : indent(before: field).count)
        if let comma = commaBehind(field) { return start..<(comma + 1) }
        let before = bytes(BibTeXSpan(content.start..<start))
        if index > 0, before.last == BibTeXBytes.comma { return (start - 1)..<field.value.end }
        return start..<field.value.end
    }
}
