/// Converts a file between a Japanese, Chinese or Korean encoding and blocks in UTF-8.
struct ConvertedFile {
    private static let groupStart = Array("@comment{BibDesk ".utf8)
    private static let groupEnd = Array("</plist>".utf8)

    /// The file in UTF-8; nil if it is not valid in the encoding.
    static func text(of bytes: [UInt8], _ encoding: BibTeXEncoding) -> [UInt8]? {
        guard bytes.count < BibTeXBlock.largestFile else { return nil }
        guard !encoding.includesGroups else { return encoding.converted(bytes) }
        var (text, start): ([UInt8], Int) = ([], 0)
        while let group = nextGroup(in: bytes, from: start) {
            guard let before = encoding.converted(Array(bytes[start..<group.lowerBound])) else { return nil }
            text += before + bytes[group]
            start = group.upperBound
        }
        return encoding.converted(Array(bytes[start...])).map { text + $0 }
    }

    /// The bytes of UTF-8 blocks in an encoding; nil if it lacks a letter.
    static func bytes(of blocks: [BibTeXBlock], _ encoding: BibTeXEncoding) -> [UInt8]? {
        var (bytes, waiting): ([UInt8], [UInt8]) = ([], [])
        for block in blocks {
            guard GroupBlock.isGroupBlock(block), !encoding.includesGroups else {
                waiting += block.bytes
                continue
            }
            waiting += block.bytes(block.leading)
            guard let before = encoding.converting(waiting) else { return nil }
            bytes += before + block.body
            waiting = []
        }
        return encoding.converting(waiting).map { bytes + $0 }
    }

    /// The next group of BibDesk: it begins a line and extends to the end of its list.
    private static func nextGroup(in bytes: [UInt8], from start: Int) -> Range<Int>? {
        var line = start
        while line < bytes.endIndex {
            if bytes[line...].starts(with: groupStart) {
                let end = bytes[line...].indices.first { bytes[$0...].starts(with: groupEnd) }
                return line..<(end.map { $0 + groupEnd.count } ?? bytes.endIndex)
            }
            line = (bytes[line...].firstIndex(where: BibTeXBytes.isLineEnd) ?? bytes.endIndex - 1) + 1
        }
        return nil
    }
}
