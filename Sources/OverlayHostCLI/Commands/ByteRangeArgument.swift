import ArgumentParser

/// A range of bytes as a person writes it: `A-B` with both ends included, or `A-`.
struct ByteRangeArgument: ExpressibleByArgument, Equatable {
    /// The bytes, the end not included.
    let range: Range<Int64>

    init?(argument: String) {
        let parts = argument.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let first = Self.number(parts[0]) else { return nil }
        if parts[1].isEmpty {
            range = first..<Int64.max
            return
        }
        guard let last = Self.number(parts[1]), last >= first, last < .max else { return nil }
        range = first..<last + 1
    }

    private static func number(_ text: Substring) -> Int64? {
        text.allSatisfy { $0.isASCII && $0.isNumber } ? Int64(text) : nil
    }
}
