/// A `.bib` file as a lossless sequence of blocks.
///
/// Reading never fails, and `BibTeXDocument(bytes).bytes` returns the same bytes. Only changed parts are rewritten; everything
/// else is copied. The blocks share the memory of the file. Time and memory are proportional to the size of the file.
public struct BibTeXDocument: Sendable {
    /// The blocks, in order.
    public package(set) var blocks: [BibTeXBlock]
    /// The encoding of the file. If the file is in UTF-16 or in a Japanese, Chinese or Korean encoding, its blocks
    /// are converted to UTF-8.
    public private(set) var encoding: BibTeXEncoding
    /// Whether the encoding is only a guess.
    public private(set) var isEncodingGuessed: Bool

    /// Whether the encoding is the fallback or a guess, because the file is not UTF-8 and does not name its encoding.
    public private(set) var isEncodingAssumed = false

    /// The encoding that the header names, if this module cannot read it. Its letters become U+FFFD, and
    /// `problemsForApp` reports it.
    public private(set) var unreadableEncoding: String?

    /// Reads the bytes of a file.
    ///
    /// `fallback` is the encoding of a file that is not UTF-8 and does not name its encoding.
    public init(_ bytes: [UInt8], fallback: BibTeXEncoding? = nil) {
        isEncodingGuessed = false
        if let (encoding, text) = Self.wide(bytes) {
            self.encoding = encoding
            blocks = BlockSplitter.blocks(text)
            return
        }
        blocks = BlockSplitter.blocks(bytes)
        if let name = Self.wideName(bytes) {
            encoding = .utf8
            unreadableEncoding = name
            return
        }
        // All these encodings write the header in ASCII.
        let name = Self.encodingName(blocks.first)
        let named = name.flatMap(BibTeXEncoding.init(name:))
        if named == .iso2022JP, bytes.contains(0x1B) {
            encoding = .utf8
            read(bytes, .iso2022JP, name: name)
            return
        }
        if String(validating: bytes, as: UTF8.self) != nil {
            encoding = .utf8
            return
        }
        encoding = .utf8
        if let named, named.isMultibyte, named.includesGroups {
            read(bytes, named, name: name)
            return
        }
        // Groups are in UTF-8 even if the file has another encoding.
        let others = blocks.filter { !GroupBlock.isGroupBlock($0) }
        guard others.contains(where: { String(validating: $0.bytes, as: UTF8.self) == nil }) else { return }
        if let name, BibTeXEncoding.isForeign(name) {
            unreadableEncoding = name
            return
        }
        if let named, named.isMultibyte {
            read(bytes, named, name: name)
            return
        }
        if let named, named.isOneByte, !named.hasTable {
            unreadableEncoding = name
            return
        }
        if let named, named.isOneByte {
            encoding = named
        } else if let fallback, fallback.isMultibyte {
            read(bytes, fallback, name: nil)
            isEncodingAssumed = true
            return
        } else if let fallback, fallback.isOneByte, fallback.hasTable {
            encoding = fallback
            isEncodingAssumed = true
        } else {
            encoding = Self.guess(others)
            isEncodingGuessed = true
            isEncodingAssumed = true
        }
        for index in blocks.indices {
            let isText =
                GroupBlock.isGroupBlock(blocks[index])
                && String(validating: blocks[index].bytes, as: UTF8.self) != nil
            if !isText { blocks[index].encoding = encoding }
        }
    }

    /// Reads a file in a Japanese, Chinese or Korean encoding, if converting it back gives the same bytes.
    private mutating func read(_ bytes: [UInt8], _ encoding: BibTeXEncoding, name: String?) {
        if let text = ConvertedFile.text(of: bytes, encoding) {
            let converted = BlockSplitter.blocks(text)
            if ConvertedFile.bytes(of: converted, encoding) == bytes {
                (self.encoding, blocks) = (encoding, converted)
                return
            }
        }
        unreadableEncoding = name ?? encoding.rawValue
    }

    /// Creates a document without blocks.
    public init() { self.init([]) }

    /// The bytes of the file.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(blocks.reduce(0) { $0 + $1.bytes.count })
        for block in blocks { bytes += block.bytes }
        // If the encoding lacks a letter, the file is written in UTF-8.
        if encoding.isMultibyte { return ConvertedFile.bytes(of: blocks, encoding) ?? inUTF8().bytes }
        guard encoding.isUTF16 else { return bytes }
        // Only texts that convert back to the same bytes are read as UTF-16, and this module writes all changes.
        return encoding.bytes(String(decoding: bytes, as: UTF8.self)) ?? bytes
    }

    /// The indexes of the entries, in order, including entries whose key or fields cannot be read.
    public var entryIndexes: [Int] { blocks.indices.filter { blocks[$0].kind == .entry } }

    /// Whether the file is or may be a bibliography: it cannot be read, has a block, or only white space and lines
    /// that begin with `%`. BibTeX treats any other text as a comment too, but a file with nothing else serves
    /// another purpose.
    public var isBibliography: Bool {
        if unreadableEncoding != nil || blocks.contains(where: { $0.kind != .text }) { return true }
        return blocks.allSatisfy { block in
            block.bytes.split(whereSeparator: BibTeXBytes.isLineEnd).allSatisfy { line in
                let text = line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
                return text.first { !BibTeXBytes.isSpace($0) }.map { $0 == BibTeXBytes.percent } ?? true
            }
        }
    }

    /// A sentence that names the guessed encoding; nil if the encoding was not guessed.
    public var encodingRemark: String? {
        isEncodingGuessed ? "The file does not name its encoding and was read as \(encoding.rawValue)." : nil
    }

    /// The first line end of the file.
    public var lineEnd: String {
        for block in blocks {
            if let lineEnd = BibTeXBlock.LineEnd(in: block.bytes) { return lineEnd.text }
        }
        return "\n"
    }

    /// The macros of the file, which override `shared` ones.
    public func macros(shared: [String: String] = [:]) -> BibTeXMacros {
        var definitions: [(String, BibTeXValue)] = []
        for block in blocks where block.kind == .string {
            for field in block.fields where field.isReadable {
                definitions.append((block.name(of: field), block.value(of: field)))
            }
        }
        return BibTeXMacros(definitions, shared: shared)
    }

    // MARK: encodings

    /// The encoding and the UTF-8 text of a UTF-16 file with a byte order mark; nil for any other file, and if
    /// converting it back would give other bytes.
    private static func wide(_ bytes: [UInt8]) -> (BibTeXEncoding, [UInt8])? {
        guard bytes.count % 2 == 0, bytes.count < BibTeXBlock.largestFile else { return nil }
        let encoding: BibTeXEncoding
        if bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFF, 0xFE, 0, 0]) {
            encoding = .utf16LittleEndian
        } else if bytes.starts(with: [0xFE, 0xFF]) {
            encoding = .utf16BigEndian
        } else {
            return nil
        }
        let text = encoding.text(bytes)
        return encoding.bytes(text) == bytes ? (encoding, Array(text.utf8)) : nil
    }

    /// The name of an encoding in which letters take two or four bytes and that cannot be read: UTF-32, and UTF-16
    /// without a byte order mark. Nil for any other file.
    private static func wideName(_ bytes: [UInt8]) -> String? {
        let beginning = bytes.prefix(1024)
        let zeros = beginning.count { $0 == 0 }
        guard zeros * 3 > beginning.count else { return nil }
        return zeros * 5 > beginning.count * 3 ? "UTF-32" : "UTF-16 without a byte order mark"
    }

    /// The encoding that BibDesk names in the header. BibDesk itself never reads that name.
    private static func encodingName(_ first: BibTeXBlock?) -> String? {
        guard let first else { return nil }
        let mark = Array("Saved with string encoding ".utf8)
        for line in first.bytes(first.leading).split(whereSeparator: BibTeXBytes.isLineEnd) {
            let words = line.drop { $0 == BibTeXBytes.percent || BibTeXBytes.isSpace($0) }
            guard words.starts(with: mark) else { continue }
            return TextFolding.trimmed(String(decoding: words.dropFirst(mark.count), as: UTF8.self))
        }
        return nil
    }

    /// Guesses Windows or Mac by counting letters with accents next to other letters.
    private static func guess(_ blocks: [BibTeXBlock]) -> BibTeXEncoding {
        var windows = 0
        var mac = 0
        for block in blocks {
            var isBehindLetter = false
            for byte in block.bytes {
                if isBehindLetter, byte >= 0xC0 { windows += 1 }
                if isBehindLetter, (0x80...0x9F).contains(byte) { mac += 1 }
                isBehindLetter = (0x61...0x7A).contains(byte | 0x20)
            }
        }
        return mac > windows ? .macRoman : .windows1252
    }

    /// The same document in UTF-8 without leading byte order marks; BibDesk's header is changed to name UTF-8.
    public func inUTF8() -> BibTeXDocument {
        var result = self
        result.encoding = .utf8
        result.isEncodingGuessed = false
        result.isEncodingAssumed = false
        for (index, block) in blocks.enumerated() {
            var bytes =
                block.encoding == .utf8 ? Array(block.bytes) : Array(block.encoding.text(block.bytes).utf8)
            if index == 0 {
                while bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
                if encoding != .utf8 { bytes = Self.renamingEncoding(bytes) }
            }
            if bytes.elementsEqual(block.bytes), block.encoding == .utf8 { continue }
            result.blocks[index] = BibTeXBlock.read(bytes) ?? BlockParser.text(bytes[...])
            result.blocks[index].lineEnd = block.lineEnd
        }
        if let first = result.blocks.first, first.bytes.isEmpty { result.blocks.removeFirst() }
        return result
    }

    private static func renamingEncoding(_ bytes: [UInt8]) -> [UInt8] {
        let mark = Array("%% Saved with string encoding ".utf8)
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: mark) }) else {
            return bytes
        }
        let end = bytes[start...].firstIndex(where: BibTeXBytes.isLineEnd) ?? bytes.endIndex
        return bytes[..<start] + mark + Array("Unicode (UTF-8) ".utf8) + bytes[end...]
    }
}

extension BibTeXBlock {
    /// The value of a field.
    public func value(of field: BibTeXField) -> BibTeXValue {
        guard field.isReadable else { return BibTeXValue(text(field.value)) }
        return BibTeXValue(bytes(field.value), encoding)
    }

    /// The value of a field, or of the last field if several have this name; nil if the block does not have the
    /// field.
    public func value(_ name: String) -> BibTeXValue? { field(name).map(value(of:)) }

    /// The names of the macros that a preamble uses, in lower case.
    package var preambleMacros: [String] { BibTeXValue(bytes(content), encoding).macroNames }

    /// Parses bytes as one block; nil if they are not exactly one block.
    package static func read(_ bytes: [UInt8], _ encoding: BibTeXEncoding = .utf8) -> BibTeXBlock? {
        let blocks = BlockSplitter.blocks(bytes)
        guard blocks.count == 1, var block = blocks.first else { return nil }
        block.encoding = encoding
        return block
    }
}
