import BibTeX

/// Uses the device's spelling of entries that the host has not changed, and comments in entries that only the device
/// changed.
struct DeviceSpelling {
    private let base: BibTeXDocument
    /// The agreed library in the forms in which the device may have received it: with unchanged links, and in the
    /// app's form.
    private let forms: [BibTeXDocument]
    private let named: (String) -> String

    /// - Parameters:
    ///   - base: the last agreed library.
    ///   - named: returns how the host's file writes the name of a field.
    init(_ base: BibTeXDocument, named: @escaping (String) -> String) {
        self.base = base
        forms = [base.inUTF8(), base.forApp()]
        self.named = named
    }

    /// Whether the device left an agreed block as it received it.
    func isAsSent(_ block: BibTeXBlock, _ index: Int) -> Bool {
        forms.contains { form in
            // A first block that contains only a byte order mark is not sent.
            let place = index - (base.blocks.count - form.blocks.count)
            return form.blocks.indices.contains(place) && form.blocks[place].body == block.body
        }
    }

    /// A merged entry in the device's spelling; nil if the host also changed it, or the host's encoding lacks a
    /// letter.
    ///
    /// - Parameters:
    ///   - merged: the content of the result.
    ///   - index: the agreed entry.
    ///   - ours: the host's entry.
    ///   - theirs: the device's entry, with the new names of the result.
    func entry(
        _ merged: BibTeXBlock, _ index: Int, ours: BibTeXBlock, theirs: BibTeXBlock
    ) -> BibTeXBlock? {
        guard Self.areSame(ours, base.blocks[index]), !merged.isOpaque, !theirs.isOpaque else { return nil }
        return Self.written(theirs, saying: merged, behind: Array(merged.bytes(merged.leading)), named)
    }

    /// A device entry in another block's encoding and with its links, if it then has the same content.
    static func written(
        _ theirs: BibTeXBlock, saying merged: BibTeXBlock, behind leading: [UInt8],
        _ named: (String) -> String
    ) -> BibTeXBlock? {
        guard let body = merged.encodedBody(theirs.encoding.text(theirs.body)),
            let block = BibTeXBlock.read(leading + body, merged.encoding), block.kind == .entry,
            let linked = BibTeXDocument.setting(merged.linkedFiles, of: block, named: named),
            linked.saysSame(merged), linked.linkedFiles == merged.linkedFiles
        else { return nil }
        return linked
    }

    /// Whether the device has comments in an entry that the merged entry's encoding cannot represent.
    func hasUnwritableComments(_ merged: BibTeXBlock, _ index: Int, theirs: BibTeXBlock) -> Bool {
        let olds = Set(base.blocks[index].comments.map(\.text))
        return theirs.comments.contains { !olds.contains($0.text) && merged.encodedBody($0.text) == nil }
    }

    private static func areSame(_ one: BibTeXBlock, _ other: BibTeXBlock) -> Bool {
        if one.encoding == other.encoding { return one.body == other.body }
        return one.encoding.text(one.body) == other.encoding.text(other.body)
    }

    // MARK: comments in entries

    /// A merged entry with the comments that the device changed, and whether the host also changed some.
    ///
    /// A comment replaces the earlier comment in place if the host left that comment unchanged. Otherwise it is added
    /// before the entry.
    func commented(
        _ merged: BibTeXBlock, _ index: Int, ours: BibTeXBlock, theirs: BibTeXBlock
    ) -> (block: BibTeXBlock, isConflict: Bool)? {
        let olds = base.blocks[index].comments.map(\.text)
        let theirs = theirs.comments.map(\.text)
        guard theirs != olds else { return nil }
        let own = merged.comments
        let new = theirs.filter { text in !olds.contains(text) && !own.contains { $0.text == text } }
        guard !new.isEmpty else { return nil }
        if own.map(\.text) == olds, own.count == theirs.count {
            var block = merged
            for (comment, text) in zip(own, theirs).reversed() where comment.text != text {
                guard let bytes = merged.encodedBody(text),
                    let changed = block.replacing(comment.range, with: bytes)
                else { return nil }
                block = changed
            }
            return (block, false)
        }
        let lines = new.map { $0 + "\n" }.joined()
        guard let bytes = merged.encodedBody(lines) else { return nil }
        let leading = Array(merged.bytes(merged.leading))
        let isBlank = leading.last.map { $0 == 0x0A || $0 == 0x0D } ?? true
        return (
            merged.leading(leading + (isBlank ? [] : [0x0A]) + bytes), ours.comments.map(\.text) != olds
        )
    }
}

extension BibTeXBlock {
    /// The comments between the fields of an entry, each from its `%` to the end of the line.
    fileprivate var comments: [(range: Range<Int>, text: String)] {
        guard kind == .entry, !isOpaque else { return [] }
        var comments: [(range: Range<Int>, text: String)] = []
        var start = max(keyName.end, content.start)
        let ends = fields.map { ($0.name.start, $0.value.end) } + [(content.end, content.end)]
        let all = Array(bytes)
        for (end, next) in ends {
            var index = start
            while index < end {
                if all[index] == UInt8(ascii: "%") {
                    let line = all[index..<end].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? end
                    comments.append((index..<line, encoding.text(all[index..<line])))
                    index = line
                }
                index += 1
            }
            start = max(next, start)
        }
        return comments
    }
}
