import Platform

/// The beginning and the end of a worker's output, with a limited size.
///
/// The beginning of the output before a crash states its cause; the end may be a backtrace.
struct CapturedOutput {
    /// The numbers of bytes that are kept from the beginning and the end.
    static let kept = (first: 2048, last: 8192)
    /// The numbers of lines that are shown from the beginning and the end.
    private static let shown = (first: 4, last: 8)

    private var first: [UInt8] = []
    private var last: [UInt8] = []
    /// The total number of bytes written.
    private(set) var count = 0

    /// Adds output.
    mutating func add(_ bytes: ArraySlice<UInt8>) {
        count += bytes.count
        let room = Self.kept.first - first.count
        first += bytes.prefix(room)
        last += bytes.dropFirst(room)
        if last.count > Self.kept.last { last.removeFirst(last.count - Self.kept.last) }
    }

    /// The first and the last lines, with an ellipsis in place of omitted ones, and without terminal control
    /// characters; nil if there is no output.
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
