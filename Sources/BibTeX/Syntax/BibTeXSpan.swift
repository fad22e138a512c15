/// A range of a block's bytes, counted from the block's first byte.
///
/// A bibliography has hundreds of thousands of names and values, so a span is half as large as a `Range<Int>`.
public struct BibTeXSpan: Hashable, Sendable {
    private let first: UInt32
    private let length: UInt32

    /// The span of a range. A block is shorter than 2 GiB (`BibTeXBlock.largestFile`), so positions are never
    /// truncated.
    init(_ range: Range<Int>) {
        first = UInt32(truncatingIfNeeded: range.lowerBound)
        length = UInt32(truncatingIfNeeded: range.count)
    }

    /// An empty span at the beginning of the block.
    static let none = BibTeXSpan(0..<0)

    /// The index of the first byte.
    public var start: Int { Int(first) }
    /// The index after the last byte.
    public var end: Int { Int(first) + Int(length) }
    /// The number of bytes.
    public var count: Int { Int(length) }
    /// The span as a range.
    public var range: Range<Int> { start..<end }
}

/// A field of an entry as it is written.
public struct BibTeXField: Hashable, Sendable {
    /// The name, in the spelling of the file.
    public let name: BibTeXSpan
    /// The value with its delimiters; if the field could not be read, everything up to the next comma.
    public let value: BibTeXSpan
    /// Whether name and value could be read.
    public let isReadable: Bool
}

/// What the parser found odd in a block.
public struct BibTeXDiagnostic: Hashable, Sendable {
    /// How serious a diagnostic is.
    public enum Severity: Sendable, Hashable {
        /// The block can be read here, but perhaps not by other programs.
        case warning
        /// A part of the block cannot be read. Its bytes are kept.
        case error
    }

    /// How serious it is.
    public let severity: Severity
    /// What was found, as a full sentence.
    public let message: String
    /// The position in bytes from the block's first byte.
    public let offset: Int
}
