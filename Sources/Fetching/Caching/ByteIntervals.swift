/// The bytes of a content that are available: half-open intervals, sorted and not adjacent.
struct ByteIntervals: Sendable, Equatable {
    private(set) var intervals: [Range<Int64>] = []

    init(_ intervals: [Range<Int64>] = []) { for interval in intervals { insert(interval) } }

    /// The end of the last interval.
    var end: Int64 { intervals.last?.upperBound ?? 0 }

    /// Adds bytes and merges intervals that touch.
    mutating func insert(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        var merged = range
        var kept: [Range<Int64>] = []
        for interval in intervals {
            if interval.upperBound < merged.lowerBound || interval.lowerBound > merged.upperBound {
                kept.append(interval)
            } else {
                merged =
                    min(interval.lowerBound, merged.lowerBound)..<max(interval.upperBound, merged.upperBound)
            }
        }
        let place = kept.firstIndex { $0.lowerBound > merged.lowerBound } ?? kept.endIndex
        kept.insert(merged, at: place)
        intervals = kept
    }

    func contains(_ range: Range<Int64>) -> Bool {
        range.isEmpty
            || intervals.contains { $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound }
    }

    /// The parts of a range that are not available.
    func gaps(in range: Range<Int64>) -> [Range<Int64>] {
        var gaps: [Range<Int64>] = []
        var position = range.lowerBound
        for interval in intervals where interval.upperBound > position {
            guard interval.lowerBound < range.upperBound else { break }
            if interval.lowerBound > position { gaps.append(position..<interval.lowerBound) }
            position = interval.upperBound
        }
        if position < range.upperBound { gaps.append(position..<range.upperBound) }
        return gaps
    }
}
