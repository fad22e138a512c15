/// The field `Content-Range` of RFC 9110 section 14.4, in bytes.
struct ContentRange: Equatable {
    /// The bytes that follow, half-open; nil in an answer 416, which has none.
    var range: Range<Int64>?
    /// The length of the whole, nil when the server wrote `*`.
    var total: Int64?

    /// The parsed value; nil when it is not about bytes or contradicts itself.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, ASCII.lowercased(words[0]) == "bytes" else { return nil }
        let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        if halves[1] != "*" {
            guard let total = ASCII.number(halves[1]) else { return nil }
            self.total = total
        }
        if halves[0] == "*" {
            // Neither a range nor a length says nothing.
            guard total != nil else { return nil }
            return
        }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ASCII.number(ends[0]), let last = ASCII.number(ends[1]),
            first <= last, last < Int64.max, last < total ?? .max
        else { return nil }
        range = first..<last + 1
    }
}
