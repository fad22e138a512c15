/// The bytes of an archive that one entry takes at least: its local header and its data.
struct ZipSpan {
    var start: Int64
    var end: Int64

    /// The lowest start of spans of which no two overlap; nil if there are none.
    ///
    /// Archives that pack many entries into the same bytes are bombs.
    static func lowestOffset(ofApart spans: inout [ZipSpan]) throws(ArchiveError) -> Int64? {
        if !isAscending(spans) {
            spans.sort { ($0.start, $0.end) < ($1.start, $1.end) }
            guard isAscending(spans) else {
                throw ArchiveError(.malformed, "The data of two entries overlaps.")
            }
        }
        return spans.first?.start
    }

    private static func isAscending(_ spans: [ZipSpan]) -> Bool {
        var end: Int64 = 0
        for span in spans {
            guard span.start >= end else { return false }
            end = span.end
        }
        return true
    }
}
