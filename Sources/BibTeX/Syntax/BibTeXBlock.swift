/// One block of a `.bib` file: the text before an `@`, and the entry, macro definition, preamble or comment that it begins.
///
/// All bytes of a file belong to exactly one block, so the blocks of a file written one after the other are the file. A block
/// shares the memory of the file that it was read from.
public struct BibTeXBlock: Sendable {
    /// What a block is.
    public enum Kind: Sendable, Hashable {
        /// An entry: `@article{key, ...}`.
        case entry
        /// Macro definitions: `@string{...}`.
        case string
        /// `@preamble{...}`.
        case preamble
        /// `@comment`: also the groups of BibDesk.
        case comment
        /// `@bibdesk_info{...}`: what BibDesk notes on the document; not an entry.
        case info
        /// Text behind the last block of the file.
        case text
    }

    /// Files of this many bytes and more are not looked into.
    static let largestFile = 1 << 31

    /// What it is.
    public let kind: Kind
    /// Its bytes, exactly as in the file.
    public let bytes: ArraySlice<UInt8>
    /// The text before the `@`: white space, lines of comment, and what no parser knows.
    public let leading: BibTeXSpan
    /// The type behind the `@`, in the spelling of the file.
    public let typeName: BibTeXSpan
    /// The cite key, or the first word of an info block. Empty if there is none.
    public let keyName: BibTeXSpan
    /// What is between the delimiters.
    public let content: BibTeXSpan
    /// The fields in the order of the file; the macros of a `string` block.
    public let fields: [BibTeXField]
    /// What is odd about it.
    public let diagnostics: [BibTeXDiagnostic]
    /// How its texts are encoded.
    public internal(set) var encoding: BibTeXEncoding = .utf8

    /// Whether a part of it could not be read. Such a block is kept and copied, and nothing in it is changed.
    public var isOpaque: Bool { diagnostics.contains { $0.severity == .error } }

    /// The bytes from the `@` on.
    public var body: ArraySlice<UInt8> { bytes.dropFirst(leading.count) }

    /// The bytes of a span.
    public func bytes(_ span: BibTeXSpan) -> ArraySlice<UInt8> {
        let start = bytes.startIndex
        // A span belongs to this block or to none; one of another block must not reach outside.
        let from = min(start + span.start, bytes.endIndex)
        return bytes[from..<max(from, min(start + span.end, bytes.endIndex))]
    }

    /// The text of a span, accents and braces as they are written.
    public func text(_ span: BibTeXSpan) -> String { encoding.text(bytes(span)) }

    /// The type in lower case, such as `article`.
    public var type: String { encoding.text(BibTeXBytes.lowered(bytes(typeName))) }

    /// The cite key in the spelling of the file; nil if the block is not an entry or its key is missing.
    public var key: String? { kind == .entry && keyName.count > 0 ? text(keyName) : nil }

    /// The name of a field in lower case.
    public func name(of field: BibTeXField) -> String {
        encoding.text(BibTeXBytes.lowered(bytes(field.name)))
    }

    /// The field that counts for a name, which is the last one of that name, as in BibDesk. Names are compared without case.
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
