/// One block of a `.bib` file: the text before an `@`, and the entry, macro definition, preamble or comment that the
/// `@` begins.
///
/// Every byte of a file belongs to exactly one block, so the concatenated blocks are the file. A block shares the
/// memory of the file that it was read from.
public struct BibTeXBlock: Sendable {
    /// The kinds of blocks.
    public enum Kind: Sendable, Hashable {
        /// An entry: `@article{key, ...}`.
        case entry
        /// Macro definitions: `@string{...}`.
        case string
        /// `@preamble{...}`.
        case preamble
        /// `@comment`, including the groups of BibDesk.
        case comment
        /// `@bibdesk_info{...}`: BibDesk's data about the document; not an entry.
        case info
        /// Text after the last block of the file.
        case text
    }

    /// Files of at least this many bytes are not parsed.
    static let largestFile = 1 << 31

    /// The kind of block.
    public let kind: Kind
    /// Its bytes, exactly as in the file.
    public let bytes: ArraySlice<UInt8>
    /// The text before the `@`: white space, comment lines, and text that a parser ignores.
    public let leading: BibTeXSpan
    /// The type after the `@`, in the spelling of the file.
    public let typeName: BibTeXSpan
    /// The cite key, or the first word of an info block. Empty if there is none.
    public let keyName: BibTeXSpan
    /// The content between the delimiters.
    public let content: BibTeXSpan
    /// The fields in file order; for a `string` block, the macros.
    public let fields: [BibTeXField]
    /// What the parser found odd about the block.
    public let diagnostics: [BibTeXDiagnostic]
    /// The encoding of its texts.
    public internal(set) var encoding: BibTeXEncoding = .utf8
    /// The line end of the file it was read from, for a block that has none itself.
    var lineEnd = LineEnd.lineFeed

    /// The forms of line ends.
    enum LineEnd: UInt8, Sendable {
        case lineFeed
        case carriageReturn
        case both

        /// The first line end in some bytes; nil if there is none.
        init?(in bytes: some Collection<UInt8>) {
            guard let index = bytes.firstIndex(where: BibTeXBytes.isLineEnd) else { return nil }
            let isReturn = bytes[index] == 0x0D
            let isPair = isReturn && bytes[bytes.index(after: index)...].first == 0x0A
            self = isPair ? .both : isReturn ? .carriageReturn : .lineFeed
        }

        /// The line end as it is written.
        var text: String {
            switch self {
            case .lineFeed: "\n"
            case .carriageReturn: "\r"
            case .both: "\r\n"
            }
        }
    }

    /// Whether a part of the block could not be read. Such a block is kept and copied, but never changed.
    public var isOpaque: Bool { diagnostics.contains { $0.severity == .error } }

    /// The bytes from the `@` on.
    public var body: ArraySlice<UInt8> { bytes.dropFirst(leading.count) }

    /// The bytes of a span.
    public func bytes(_ span: BibTeXSpan) -> ArraySlice<UInt8> {
        let start = bytes.startIndex
        // A span should belong to this block; a span of another block must not reach outside.
        let from = min(start + span.start, bytes.endIndex)
        return bytes[from..<max(from, min(start + span.end, bytes.endIndex))]
    }

    /// The text of a span, with accents and braces as written.
    public func text(_ span: BibTeXSpan) -> String { encoding.text(bytes(span)) }

    /// The type in lower case, such as `article`.
    public var type: String { encoding.text(BibTeXBytes.lowered(bytes(typeName))) }

    /// The cite key in the spelling of the file; nil if the block is not an entry or its key is missing.
    public var key: String? { kind == .entry && keyName.count > 0 ? text(keyName) : nil }

    /// The name of a field in lower case.
    public func name(of field: BibTeXField) -> String {
        encoding.text(BibTeXBytes.lowered(bytes(field.name)))
    }

    /// The field with a name. If several have the name, the last one is used, as in BibDesk. Names are compared
    /// without case.
    public func field(_ name: String) -> BibTeXField? {
        fields.last { $0.isReadable && hasName($0, name) }
    }

    /// Whether a field has this name, without case.
    func hasName(_ field: BibTeXField, _ name: String) -> Bool {
        let written = bytes(field.name)
        guard encoding == .utf8, written.count == name.utf8.count else {
            return encoding != .utf8 && self.name(of: field) == name.lowercased()
        }
        return zip(written, name.utf8).allSatisfy { one, other in
            one == other || ((one | 0x20) == (other | 0x20) && (0x61...0x7A).contains(one | 0x20))
        }
    }
}

extension BibTeXBlock: Hashable {
    /// Blocks are equal when their bytes and their encoding are.
    public static func == (left: Self, right: Self) -> Bool {
        left.encoding == right.encoding && left.bytes == right.bytes
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
