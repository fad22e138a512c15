/// How deeply the containers of an XML property list are nested, found out without recursion before a parser sees it.
enum XMLNesting {
    /// The depth, or nil when it is beyond `limit`. What is no XML counts as it looks; the parser judges it.
    static func depth(of text: UnsafeRawBufferPointer, limit: Int) -> Int? {
        var depth = 0
        var deepest = 0
        var position = 0
        while let open = find("<", in: text, from: position) {
            position = open + 1
            if begins(with: "!--", text, at: position) {
                // Tags within comments and literal text count for nothing, least of all closing ones.
                position = find("-->", in: text, from: position + 3) ?? text.count
            } else if begins(with: "![CDATA[", text, at: position) {
                position = find("]]>", in: text, from: position + 8) ?? text.count
            } else if begins(with: "array", text, at: position) || begins(with: "dict", text, at: position) {
                position = find(">", in: text, from: position) ?? text.count
                if text[position - 1] == UInt8(ascii: "/") { continue }
                depth += 1
                deepest = max(deepest, depth)
                if depth > limit { return nil }
            } else if begins(with: "/array", text, at: position) || begins(with: "/dict", text, at: position)
            {
                depth = max(depth - 1, 0)
            }
        }
        return deepest
    }

    private static func find(_ what: StaticString, in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var position = start
        while position < text.count {
            if begins(with: what, text, at: position) { return position }
            position += 1
        }
        return nil
    }

    private static func begins(with what: StaticString, _ text: UnsafeRawBufferPointer, at position: Int)
        -> Bool
    {
        let count = what.utf8CodeUnitCount
        guard position <= text.count - count else { return false }
        for index in 0..<count where text[position + index] != what.utf8Start[index] { return false }
        return true
    }
}
