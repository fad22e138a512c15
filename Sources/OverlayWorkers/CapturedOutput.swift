import Platform

/// The beginning and the end of what a worker has written, however much it was.
///
/// The beginning of the words before a crash names its cause; the end may be a backtrace.
struct CapturedOutput {
    /// Bytes that are kept of the beginning, and of what followed.
    static let kept = (first: 2048, last: 8192)
    /// Lines that are shown of the beginning and of the end.
    private static let shown = (first: 4, last: 8)

    private var first: [UInt8] = []
    private var last: [UInt8] = []
    /// Bytes that were written in all.
    private(set) var count = 0

    /// Takes what was written next.
    mutating func add(_ bytes: ArraySlice<UInt8>) {
        count += bytes.count
        let room = Self.kept.first - first.count
        first += bytes.prefix(room)
        last += bytes.dropFirst(room)
        if last.count > Self.kept.last { last.removeFirst(last.count - Self.kept.last) }
    }

    /// The first and the last lines, with a sign where some are left out, without characters that terminals obey; nil if nothing
    /// was written.
    var words: String? {
        let isWhole = count == first.count + last.count
        var lines = Self.lines(first + (isWhole ? last : []))
        if !isWhole { lines += ["…"] + Self.lines(last) }
        if lines.count > Self.shown.first + Self.shown.last {
            lines = lines.prefix(Self.shown.first) + ["…"] + lines.suffix(Self.shown.last)
        }
        let shown = lines.joined(separator: "\n").unicodeScalars
            .filter { $0 == "\n" || !$0.isControl }
        let result = String(String.UnicodeScalarView(shown))
        return result.isEmpty ? nil : result
    }

    private static func lines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map { String($0) }
    }
}
