import BibTeX

/// Puts back comments of the device that the other steps lost, because the block that followed them is gone or has
/// moved.
struct StrayTexts {
    private let device: BibTeXDocument
    /// Lines of the agreed state and of the host. If the result lacks one of them, a side removed it.
    private let known: Set<String>

    init(base: BibTeXDocument, host: BibTeXDocument, device: BibTeXDocument) {
        self.device = device
        known = base.lines.union(host.lines)
    }

    /// Adds the missing texts before the next block of the device that the document has, or at the document's end.
    ///
    /// - Returns: false if the encoding of the document lacks a letter.
    func add(to document: inout BibTeXDocument) -> Bool {
        var present = document.lines
        var places: [Label: Int]?
        for index in device.blocks.indices {
            let lines = lines(before: index)
            guard lines.contains(where: { !known.contains($0) && !present.contains($0) }) else { continue }
            // Keep the whole text, because a single line may be meaningless.
            let text = lines.filter { !present.contains($0) }
            present.formUnion(text)
            let found = places ?? Self.places(document)
            places = found
            let place = device.blocks[index...].lazy.compactMap { Label($0).flatMap { found[$0] } }.first
            guard put(text.map { $0 + document.lineEnd }.joined(), before: place, in: &document) else {
                return false
            }
        }
        return true
    }

    /// The lines before a block, without BibDesk's header and the beginning of a line in a file that was cut off.
    private func lines(before index: Int) -> [String] {
        let block = device.blocks[index]
        let text = block.text(block.leading)
        var lines = TextLines.filled(text).filter { !TextLines.isHeader($0) }
        if block.kind == .text, let last = lines.last, text.last?.isNewline != true,
            known.contains(where: { $0.hasPrefix(last) })
        {
            lines.removeLast()
        }
        return lines
    }

    private func put(_ text: String, before place: Int?, in document: inout BibTeXDocument) -> Bool {
        let end = document.blocks.indices.last.flatMap { document.blocks[$0].kind == .text ? $0 : nil }
        guard let place = place ?? end else {
            let encoding = document.encoding.isOneByte ? document.encoding : .utf8
            guard let bytes = encoding.bytes(text), let block = BibTeXBlock.read(bytes, encoding) else {
                return false
            }
            document.blocks.append(block)
            return true
        }
        let block = document.blocks[place]
        let own = block.text(block.leading)
        let gap = own.isEmpty || own.last?.isNewline == true ? "" : document.lineEnd
        guard let bytes = block.encodedBody(gap + text) else { return false }
        let whole = Array(block.bytes(block.leading)) + bytes
        document.blocks[place] =
            block.kind == .text ? BibTeXBlock.read(whole, block.encoding) ?? block : block.leading(whole)
        return true
    }

    /// What identifies a block within its file.
    private enum Label: Hashable {
        case entry(String)
        case macro(String)
        case groups(BibTeXGroup.Kind)
        case other(String)

        init?(_ block: BibTeXBlock) {
            switch block.kind {
            case .text: return nil
            case .entry:
                guard let key = block.key else { fallthrough }
                self = .entry(key.lowercased())
            case .string:
                guard let name = block.fieldNames.first else { fallthrough }
                self = .macro(name)
            default:
                self = GroupBlock(block).map { .groups($0.kind) } ?? .other(block.bodyText)
            }
        }
    }

    private static func places(_ document: BibTeXDocument) -> [Label: Int] {
        Dictionary(
            document.blocks.indices.compactMap { index in Label(document.blocks[index]).map { ($0, index) } },
            uniquingKeysWith: { first, _ in first })
    }
}
