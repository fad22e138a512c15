import JSON

/// JSON of a long list as it is kept in files: a head with the number of books, one book a line, and an end, so that a part of it
/// is never taken for the whole, and the whole is never in memory.
enum BookLines {
    /// The last line.
    static let tail = "]}"

    /// Most books for which room is made because a head promises them.
    private static let mostExpected: Int64 = 1 << 20

    /// For how many books a list with this head makes room, so that it need not grow.
    static func expected(_ head: JSONObject) -> Int {
        Int(min(max(head["count"]?.integer ?? 0, 0), mostExpected))
    }

    /// Hands over lines, each without its end, as long as they are wanted; false if not all were, or the last one has no end.
    typealias Lines = (_ take: (ArraySlice<UInt8>) -> Bool) -> Bool

    /// Reads a list.
    ///
    /// - Parameters:
    ///   - head: takes the members of the head; false if it is of another list.
    ///   - book: takes a book; false if it is none.
    /// - Returns: whether all of it was there.
    static func read(_ lines: @escaping Lines, head: (JSONObject) -> Bool, book: (JSONValue) -> Bool) -> Bool
    {
        var expected: Int64?
        var (count, isClosed) = (Int64(0), false)
        // The line before, of which it is not known whether it is the last one of a book.
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
