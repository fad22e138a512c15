import BibTeX

/// Creates the host's file when only the device changed. The file keeps the agreed file's encoding and links, and the
/// bytes of every block that the device did not change.
struct FastForwardMerge {
    private let host: BibTeXDocument
    private let device: BibTeXDocument
    private let merged: BibTeXDocument
    /// The host's library in UTF-8, and in the form for the app.
    private let plain: BibTeXDocument
    private let sent: BibTeXDocument
    private let style: FieldNameStyle

    /// The document; nil if it cannot be created with the same content as the merged document.
    static func document(
        _ host: BibTeXDocument, _ device: BibTeXDocument, saying merged: BibTeXDocument
    ) -> BibTeXDocument? {
        guard merged.encoding == host.encoding, let maker = FastForwardMerge(host, device, merged),
            let blocks = maker.blocks()
        else { return nil }
        var document = host
        document.blocks = maker.withEnd(blocks)
        let isSame =
            EntryDifference.changes(from: merged, to: document, on: .host).isEmpty
            && document.saysSameBesideEntries(merged)
        return isSame ? document : nil
    }

    private init?(_ host: BibTeXDocument, _ device: BibTeXDocument, _ merged: BibTeXDocument) {
        (self.host, self.device, self.merged) = (host, device, merged)
        plain = host.inUTF8()
        sent = host.forApp()
        style = host.fieldNameStyle
        // This is a file that begins with a block of only a byte order mark.
        guard plain.blocks.count == host.blocks.count, sent.blocks.count == host.blocks.count else {
            return nil
        }
    }

    private func blocks() -> [BibTeXBlock]? {
        let twins = twins()
        var merged: [String: [Int]] = [:]
        for (index, block) in self.merged.blocks.enumerated() {
            if let key = block.key?.lowercased() { merged[key, default: []].append(index) }
        }
        var blocks: [BibTeXBlock] = []
        blocks.reserveCapacity(device.blocks.count)
        for (index, theirs) in device.blocks.enumerated() {
            if let twin = twins[index] {
                let block = host.blocks[twin]
                if theirs.bytes(theirs.leading) == plain.blocks[twin].bytes(plain.blocks[twin].leading),
                    index == 0 || twin > 0
                {
                    blocks.append(block)
                } else {
                    guard let leading = leading(theirs, index, block.encoding) else { return nil }
                    blocks.append(
                        block.kind == .text
                            ? BibTeXBlock.read(leading, block.encoding) ?? block : block.leading(leading))
                }
                continue
            }
            let encoding: BibTeXEncoding =
                !GroupBlock.isGroupBlock(theirs) && host.encoding.isOneByte ? host.encoding : .utf8
            guard let leading = leading(theirs, index, encoding) else { return nil }
            guard theirs.kind == .entry, let key = theirs.key else {
                guard let body = encoding.bytes(theirs.encoding.text(theirs.body)),
                    let block = BibTeXBlock.read(leading + body, encoding)
                else { return nil }
                blocks.append(block)
                continue
            }
            guard let places = merged[key.lowercased()], places.count == 1 else { return nil }
            let twin = self.merged.blocks[places[0]]
            guard twin.encoding == encoding else { return nil }
            // Without the device's spelling, comments inside the entry would be lost.
            guard let block = DeviceSpelling.written(theirs, saying: twin, behind: leading, style.written)
            else { return nil }
            blocks.append(block)
        }
        return blocks
    }

    /// The blocks with the host's final text if the device has only the beginning of it, because its file may be
    /// truncated.
    private func withEnd(_ blocks: [BibTeXBlock]) -> [BibTeXBlock] {
        guard let end = host.blocks.last, end.kind == .text else { return blocks }
        // The text that is now before a new block used to be at the end.
        let lines = TextLines.filled(end.text(end.leading))
        if !lines.isEmpty, TextMerger.standBeforeBlocks(lines, of: device) { return blocks }
        guard let last = blocks.last, last.kind == .text else { return blocks + [end] }
        return end.bytes.starts(with: last.bytes) ? blocks.dropLast() + [end] : blocks
    }

    /// The host blocks that the device has as it received them, by both indexes; blocks after the same text are
    /// preferred.
    private func twins() -> [Int: Int] {
        var twins: [Int: Int] = [:]
        var taken: Set<Int> = []
        for isWhole in [true, false] {
            var places: [ArraySlice<UInt8>: [Int]] = [:]
            func bytes(_ block: BibTeXBlock) -> ArraySlice<UInt8> { isWhole ? block.bytes : block.body }
            for (form, other) in [(plain, nil), (sent, plain)] {
                for index in form.blocks.indices.reversed() where !taken.contains(index) {
                    let here = bytes(form.blocks[index])
                    // Blocks that are the same in both forms are in the table already.
                    if let other, other.blocks.indices.contains(index), bytes(other.blocks[index]) == here {
                        continue
                    }
                    places[here, default: []].append(index)
                }
            }
            for (index, block) in device.blocks.enumerated() where twins[index] == nil {
                let bytes = isWhole ? block.bytes : block.body
                guard isWhole || block.kind != .text else { continue }
                while let place = places[bytes]?.popLast() {
                    guard taken.insert(place).inserted else { continue }
                    twins[index] = place
                    break
                }
            }
        }
        return twins
    }

    /// The text before a device block in an encoding; nil if that lacks a letter, or if the host file's header would
    /// be lost.
    private func leading(
        _ theirs: BibTeXBlock, _ index: Int, _ encoding: BibTeXEncoding
    ) -> [UInt8]? {
        let bytes = theirs.bytes(theirs.leading)
        if index == 0, let own = host.blocks.first, let first = plain.blocks.first {
            let header = first.bytes(first.leading)
            if bytes == header { return Array(own.bytes(own.leading)) }
            guard header == own.bytes(own.leading) else { return nil }
        }
        return encoding.bytes(theirs.text(theirs.leading))
    }
}
