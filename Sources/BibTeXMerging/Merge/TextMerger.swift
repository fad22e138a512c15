import BibTeX

/// Merges the text before blocks and after the last one: comments, and text that a parser ignores.
///
/// Text that only the device changed is used unchanged. If both sides changed a text, both versions are kept.
struct TextMerger {
    /// Texts that both sides changed.
    private(set) var conflicts: [MergeConflict] = []
    /// Whether the encoding of the host's file lacks a letter.
    private(set) var lacksLetters = false

    private let hasBase: Bool
    private let base: Side
    private let host: Side
    private let device: Side
    private let pairs: [Pair]
    /// The texts before entries and other blocks that the device no longer has.
    private let goneTexts: [String]
    /// Lines that were before an entry or another block that the device no longer has. The device may have kept the
    /// lines.
    private let moved: Set<String>

    /// Lines on the device before a new block. Within the file, they belong to the block that they preceded until
    /// then.
    private let carried: Set<String>

    /// Lines on the device before a block that the host no longer has.
    private let held: Set<String>

    /// A block on both sides, given by its indexes.
    private struct Pair {
        let base: Int?
        let host: Int?
        let device: Int
    }

    /// A document, and the texts before its blocks in UTF-8.
    private struct Side {
        let document: BibTeXDocument
        private let plain: BibTeXDocument
        private let skipped: Int

        init(_ document: BibTeXDocument) {
            self.document = document
            plain = document.inUTF8()
            skipped = document.blocks.count - plain.blocks.count
        }

        func text(_ index: Int) -> String {
            guard index >= skipped else { return "" }
            let block = plain.blocks[index - skipped]
            return String(decoding: block.bytes(block.leading), as: UTF8.self)
        }

        /// The text before the first block, which contains the header.
        var head: String { document.blocks.isEmpty ? "" : text(0) }

        /// The text in the file's own encoding and with its own header.
        func written(_ index: Int) -> String {
            let block = document.blocks[index]
            return block.text(block.leading)
        }
    }

    init(
        base: BibTeXDocument, hasBase: Bool, host: BibTeXDocument, device: BibTeXDocument,
        entries: [EntryTriple]
    ) {
        self.hasBase = hasBase
        self.base = Side(base)
        self.host = Side(host)
        self.device = Side(device)
        var pairs = entries.compactMap { triple in
            triple.host.flatMap { host in
                triple.device.map { Pair(base: triple.base, host: host, device: $0) }
            }
        }
        var gone = entries.filter { $0.device == nil }.compactMap(\.base)
        let (olds, ours, theirs) = (Self.others(base), Self.others(host), Self.others(device))
        for (label, place) in theirs {
            guard ours[label] != nil || label.kind == .text else { continue }
            pairs.append(Pair(base: olds[label], host: ours[label], device: place))
        }
        gone += olds.filter { theirs[$0.key] == nil }.map(\.value)
        self.pairs = pairs.sorted { $0.device < $1.device }
        let old = self.base
        let left =
            entries.filter { $0.base != nil && $0.host == nil }.compactMap(\.device)
            + theirs.filter { olds[$0.key] != nil && ours[$0.key] == nil }.map(\.value)
        let new =
            entries.filter { $0.base == nil && $0.host == nil }.compactMap(\.device)
            + theirs.filter { $0.key.kind != .text && olds[$0.key] == nil && ours[$0.key] == nil }.map(
                \.value)
        let other = self.device
        carried = Set(new.flatMap { TextLines.filled(other.text($0)) })
        held = Set(left.flatMap { TextLines.filled(other.text($0)) })
        goneTexts = gone.map(old.text)
        moved = Set(goneTexts.flatMap(TextLines.filled))
    }

    /// What identifies a block that is not an entry within its file.
    private struct Label: Hashable {
        let kind: BibTeXBlock.Kind
        let name: String
        var number = 0
    }

    private static func others(_ document: BibTeXDocument) -> [Label: Int] {
        var places: [Label: Int] = [:]
        var counts: [Label: Int] = [:]
        for (index, block) in document.blocks.enumerated() where block.kind != .entry {
            let name =
                switch block.kind {
                case .string where !block.isOpaque: block.fieldNames.sorted().joined(separator: "\n")
                case .info, .text: ""
                case .comment where GroupBlock.isGroupBlock(block):
                    GroupBlock(block)?.kind.rawValue ?? block.bodyText
                default: block.bodyText
                }
            var label = Label(kind: block.kind, name: name)
            let number = counts[label, default: 0]
            counts[label] = number + 1
            label.number = number
            places[label] = index
        }
        return places
    }

    /// Changes the texts of the host's document, which still has the host's blocks.
    mutating func apply(to document: inout BibTeXDocument) {
        let agreed = Dictionary(
            pairs.map { ($0.device, $0.base) }, uniquingKeysWith: { first, _ in first })
        for pair in pairs {
            let theirs = device.text(pair.device)
            let ours = pair.host.map(host.text) ?? ""
            let old =
                pair.base.map(base.text) ?? (device.document.blocks[pair.device].kind == .text ? "" : nil)
            guard theirs != ours, theirs != old else { continue }
            // The header belongs to the file, not to the block that follows it.
            let places = [pair.base, pair.host, pair.device]
            guard places.allSatisfy({ $0 == 0 }) || !places.contains(0) else {
                keepBoth(pair, ours, theirs, isChange: false, &document)
                continue
            }
            // If the file was cut off here, the difference is not a change.
            let isEnd = device.document.blocks[pair.device].kind == .text
            if isEnd, ours.hasPrefix(theirs) || goneTexts.contains(where: { $0.hasPrefix(theirs) }) {
                let lines = TextLines.filled(ours)
                // The text that is now before a new block used to be at the end.
                guard !lines.isEmpty, Self.standBeforeBlocks(lines, of: device.document) else { continue }
            }
            guard hasBase, let old, ours == old else {
                keepBoth(pair, ours, theirs, isChange: hasBase && old != nil, &document)
                continue
            }
            let (before, after) = (TextLines.filled(old), TextLines.filled(theirs))
            if before == after {
                // White space belongs to the blocks around it.
                let isNeighbor =
                    pair.device == 0
                    ? pair.base == 0
                    : pair.base.map { place in place > 0 && agreed[pair.device - 1] == place - 1 } ?? false
                if isNeighbor { set(theirs, pair, &document) }
                continue
            }
            let left = Set(after)
            var known = Dictionary(before.map { ($0, 1) }, uniquingKeysWith: +)
            let new = after.filter { line in
                guard let count = known[line], count > 0 else { return true }
                known[line] = count - 1
                return false
            }
            let isMoved =
                new.contains(where: moved.contains)
                || before.contains {
                    !left.contains($0) && (held.contains($0) || (!isEnd && carried.contains($0)))
                }
            guard isMoved else {
                set(theirs, pair, &document)
                continue
            }
            // The text of a deleted entry stays with the entry until that is deleted on both sides.
            add(new.filter { !moved.contains($0) }, pair, &document)
        }
    }

    /// Keeps the lines that only the device has, after those of the host.
    private mutating func keepBoth(
        _ pair: Pair, _ ours: String, _ theirs: String, isChange: Bool, _ document: inout BibTeXDocument
    ) {
        let known = Set(
            TextLines.filled(ours) + (pair.base.map { TextLines.filled(base.text($0)) } ?? [])
                + TextLines.filled(host.head)
                + TextLines.filled(base.head))
        let new = TextLines.filled(theirs).filter {
            !known.contains($0) && !moved.contains($0) && !TextLines.isHeader($0)
        }
        guard !new.isEmpty else { return }
        add(new, pair, &document)
        guard isChange else { return }
        conflicts.append(
            MergeConflict(
                key: device.document.blocks[pair.device].key ?? "", subject: .text,
                host: TextLines.filled(ours).joined(separator: "\n"),
                device: TextLines.filled(theirs).joined(separator: "\n")))
    }

    private mutating func add(_ lines: [String], _ pair: Pair, _ document: inout BibTeXDocument) {
        guard !lines.isEmpty else { return }
        let ours = pair.host.map(host.text) ?? ""
        let end = document.lineEnd
        let text = ours.last?.isNewline ?? true ? ours : ours + end
        set(text + lines.map { $0 + end }.joined(), pair, &document)
    }

    /// Sets the text of a block, in the encoding and with the header of the host's file.
    private mutating func set(_ text: String, _ pair: Pair, _ document: inout BibTeXDocument) {
        guard let place = pair.host else {
            // The encoding of the last block may differ, because groups are in UTF-8 in every file.
            let encoding = document.encoding.isOneByte ? document.encoding : .utf8
            guard let bytes = encoding.bytes(text) else { return lacksLetters = true }
            if let block = BibTeXBlock.read(bytes, encoding) { document.blocks.append(block) }
            return
        }
        let block = document.blocks[place]
        let written = place == 0 ? withHeader(text) : text
        guard let bytes = block.encodedBody(written) else { return lacksLetters = true }
        document.blocks[place] =
            block.kind == .text ? BibTeXBlock.read(bytes, block.encoding) ?? block : block.leading(bytes)
    }

    private func withHeader(_ text: String) -> String {
        let own = host.written(0)
        guard own != host.text(0) else { return text }
        let mark = "%% Saved with string encoding "
        let header = own.split(whereSeparator: \.isNewline).first { $0.hasPrefix(mark) }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        var renamed = lines.map { line in line.hasPrefix(mark) ? header ?? line : line }
        // Without the header, the next reader would have to guess the encoding.
        if let header, !renamed.contains(header) { renamed.insert(header, at: 0) }
        let result = renamed.joined(separator: document.lineEnd)
        return own.hasPrefix("\u{FEFF}") && !result.hasPrefix("\u{FEFF}") ? "\u{FEFF}" + result : result
    }

    private var document: BibTeXDocument { host.document }

    /// Whether all these lines are before blocks of a document, not at its end.
    static func standBeforeBlocks(_ lines: [String], of document: BibTeXDocument) -> Bool {
        var missing = Set(lines)
        for block in document.blocks where block.kind != .text && block.leading.count > 0 {
            for line in TextLines.filled(block.text(block.leading)) { missing.remove(line) }
            if missing.isEmpty { return true }
        }
        return false
    }
}
