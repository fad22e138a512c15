import BibTeX

extension LibraryMerger {
    /// Takes the device's changes of spelling and layout, and of the text around and inside entries.
    mutating func mergeTexts(_ triples: [EntryTriple]) {
        var texts = TextMerger(
            base: base, hasBase: hasBase, host: host, device: device, entries: triples)
        texts.apply(to: &result)
        report.conflicts += texts.conflicts
        if texts.lacksLetters, host.encoding != .utf8 { lacksLetters = true }
        guard hasBase else { return }
        let spelling = DeviceSpelling(base, named: style.written)
        for triple in triples {
            guard let old = triple.base, let place = triple.host, let twin = triple.device,
                !spelling.isAsSent(device.blocks[twin], old),
                device.blocks[twin].fields.count <= Self.mostFields
            else { continue }
            let merged = result.blocks[place]
            let (ours, theirs) = (host.blocks[place], renamed(device.blocks[twin], merged.key))
            if host.encoding != .utf8, spelling.hasUnwritableComments(merged, old, theirs: theirs) {
                lacksLetters = true
                return
            }
            if let block = spelling.entry(merged, old, ours: ours, theirs: theirs) {
                result.blocks[place] = block
            } else if let (block, isConflict) = spelling.commented(
                merged, old, ours: ours, theirs: theirs)
            {
                result.blocks[place] = block
                guard isConflict else { continue }
                report.conflicts.append(
                    MergeConflict(
                        key: ours.key ?? "", subject: .text, host: ours.bodyText, device: theirs.bodyText))
            }
        }
    }
}

/// Comments between the blocks of one side that the other side and the agreed state do not have.
struct NewComments {
    private let known: Set<String>
    private let document: BibTeXDocument

    init(in document: BibTeXDocument, since base: BibTeXDocument, other: BibTeXDocument) {
        self.document = document
        known = base.lines.union(other.lines)
    }

    /// The new lines before a block, each with its end; empty if there are none. BibDesk's header is not among them.
    func lines(before index: Int) -> String {
        let block = document.blocks[index]
        return TextLines.filled(block.text(block.leading))
            .filter { !known.contains($0) && !TextLines.isHeader($0) }.map { $0 + "\n" }.joined()
    }
}
