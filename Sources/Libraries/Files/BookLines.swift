import JSON

/// The JSON format for long lists: a header with the number of books, one line for each book, and an end line. An
/// incomplete list is detected, and the complete text is never in memory.
enum BookLines {
    /// The last line.
    static let tail = "]}"

    /// The largest number of books for which memory is reserved, regardless of the header.
    private static let mostExpected: Int64 = 1 << 20

    /// The number of books for which to reserve memory, given the header.
    static func expected(_ head: JSONObject) -> Int {
        Int(min(max(head["count"]?.integer ?? 0, 0), mostExpected))
    }

    /// Calls `take` with each line, without its end, until `take` returns false. Returns false if not all lines were
    /// taken, or if the last line has no end.
    typealias Lines = (_ take: (ArraySlice<UInt8>) -> Bool) -> Bool

    /// Reads a list.
    ///
    /// - Parameters:
    ///   - head: receives the members of the header; returns false if they belong to another list.
    ///   - book: receives a book; returns false if the value is not a book.
    /// - Returns: whether the list was complete.
    static func read(_ lines: @escaping Lines, head: (JSONObject) -> Bool, book: (JSONValue) -> Bool) -> Bool
    {
        var expected: Int64?
        var (count, isClosed) = (Int64(0), false)
        // The previous line. Only the next line shows whether it is the last book.
        var before: [UInt8]?
        let isRead = lines { line in
            guard !isClosed else { return false }
            guard expected != nil else {
                guard let object = value(Array(line) + Array(tail.utf8))?.object, head(object) else {
                    return false
                }
                expected = object["count"]?.integer
                return expected != nil
            }
            isClosed = line.elementsEqual(tail.utf8)
            if var last = before.take() {
                guard isClosed || last.popLast() == UInt8(ascii: ","), let value = value(last), book(value)
                else { return false }
                count += 1
            }
            before = isClosed ? nil : Array(line)
            return true
        }
        return isRead && isClosed && count == expected
    }

    private static func value(_ bytes: [UInt8]) -> JSONValue? {
        do throws(JSONSyntaxError) { return try JSONValue(parsing: bytes) } catch { return nil }
    }
}
