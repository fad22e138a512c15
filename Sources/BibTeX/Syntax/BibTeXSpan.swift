/// A stretch of a block's bytes, counted from the block's first byte.
///
/// A bibliography has hundreds of thousands of names and values, so a span is half as large as a `Range<Int>`.
public struct BibTeXSpan: Hashable, Sendable {
    private let first: UInt32
    private let length: UInt32

    /// The span of a range. A block is shorter than 2 GiB (`BibTeXBlock.largestFile`), so no position is cut.
    init(_ range: Range<Int>) {
        first = UInt32(truncatingIfNeeded: range.lowerBound)
        length = UInt32(truncatingIfNeeded: range.count)
    }

    /// No bytes at the beginning of the block.
    static let none = BibTeXSpan(0..<0)

    /// The first byte.
    public var start: Int { Int(first) }
    /// The byte behind the last one.
    public var end: Int { Int(first) + Int(length) }
    /// How many bytes it has.
    public var count: Int { Int(length) }
    /// The span as a range.
    public var range: Range<Int> { start..<end }
}

/// One field of an entry, as it is written.
public struct BibTeXField: Hashable, Sendable {
    /// The name, in the spelling of the file.
    public let name: BibTeXSpan
    /// The value with its delimiters; of a field that could not be read, everything up to the next comma.
    public let value: BibTeXSpan
    /// Whether name and value could be read.
    public let isReadable: Bool
}

/// What the parser found odd in a block.
public struct BibTeXDiagnostic: Hashable, Sendable {
    /// How bad it is.
    public enum Severity: Sendable, Hashable {
        /// The block is understood; other programs may not understand it.
        case warning
        /// A part of the block is not understood. Its bytes are kept.
        case error
    }

    /// How bad it is.
    public let severity: Severity
    /// What was found: one full sentence.
    public let message: String
    /// Where, in bytes from the block's first byte.
    public let offset: Int
}
