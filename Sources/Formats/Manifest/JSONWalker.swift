/// Walks over a JSON text that arrives in pieces, checking its grammar (RFC 8259) and building only what is asked for.
///
/// Why not the parser of the JSON module: that one needs the whole text and makes values of all of it, while a manifest
/// of many megabytes is told by its first members. Tests hold the two against each other.
struct JSONWalker {
    /// Why walking ends early.
    enum Stop: Error {
        /// This is no JSON.
        case malformed
        /// The giver of pieces wants to read no further.
        case interrupted
    }

    /// Arrays and objects inside each other that are still read.
    static let deepest = 256
    /// Texts longer than this are cut, which no rule minds: they are compared with shorter ones.
    private static let longestText = 4096

    private var piece: [UInt8] = []
    private var position = 0
    private var depth = 0

    /// Gives the next piece: empty at the end, nil to stop.
    typealias More = () -> [UInt8]?

    // MARK: values

    /// Skips a byte order mark of UTF-8.
    mutating func skipMark(_ more: More) throws(Stop) {
        guard try peek(more) == 0xEF else { return }
        for expected in [0xEF, 0xBB, 0xBF] as [UInt8] {
            guard try peek(more) == expected else { throw .malformed }
            position += 1
        }
    }

    /// The first byte of the value that is next, after blanks.
    mutating func valueStart(_ more: More) throws(Stop) -> UInt8 {
        try skipBlanks(more)
        guard let byte = try peek(more) else { throw .malformed }
        return byte
    }

    /// Walks over the members of an object, whose brace is next; `member` must walk over each value.
    mutating func object(
        _ more: More, _ member: (inout JSONWalker, String) throws(Stop) -> Void
    ) throws(Stop) {
        try open(UInt8(ascii: "{"), more)
        defer { depth -= 1 }
        try skipBlanks(more)
        if try take(UInt8(ascii: "}"), more) { return }
        while true {
            try skipBlanks(more)
            let name = try string(more)
            try skipBlanks(more)
            guard try take(UInt8(ascii: ":"), more) else { throw .malformed }
            try member(&self, name)
            try skipBlanks(more)
            if try take(UInt8(ascii: "}"), more) { return }
            guard try take(UInt8(ascii: ","), more) else { throw .malformed }
        }
    }

    /// Walks over the items of an array, whose bracket is next; `item` must walk over each.
    mutating func array(_ more: More, _ item: (inout JSONWalker) throws(Stop) -> Void) throws(Stop) {
        try open(UInt8(ascii: "["), more)
        defer { depth -= 1 }
        try skipBlanks(more)
        if try take(UInt8(ascii: "]"), more) { return }
        while true {
            try item(&self)
            try skipBlanks(more)
            if try take(UInt8(ascii: "]"), more) { return }
            guard try take(UInt8(ascii: ","), more) else { throw .malformed }
        }
    }

    private mutating func open(_ bracket: UInt8, _ more: More) throws(Stop) {
        guard try take(bracket, more), depth < Self.deepest else { throw .malformed }
        depth += 1
    }

    /// Walks over any value, building nothing.
    mutating func skipValue(_ more: More) throws(Stop) {
        switch try valueStart(more) {
        case UInt8(ascii: "{"):
            try object(more) { (walker, _) throws(Stop) in try walker.skipValue(more) }
        case UInt8(ascii: "["):
            try array(more) { (walker) throws(Stop) in try walker.skipValue(more) }
        case UInt8(ascii: "\""): try text(more) { _ in }
        case UInt8(ascii: "t"): try word("true", more)
        case UInt8(ascii: "f"): try word("false", more)
        case UInt8(ascii: "n"): try word("null", more)
        default: try number(more)
        }
    }

    /// The text that is next, at most its first bytes.
    mutating func string(_ more: More) throws(Stop) -> String {
        var content: [UInt8] = []
        try text(more) { if content.count < Self.longestText { content.append($0) } }
        return String(decoding: content, as: UTF8.self)
    }

    /// Skips blanks and makes sure that the text ends.
    mutating func end(_ more: More) throws(Stop) {
        try skipBlanks(more)
        guard try peek(more) == nil else { throw .malformed }
    }

    // MARK: bytes

    /// The next byte, fetching a piece if need be; nil at the end.
    @inline(__always)
    mutating func peek(_ more: More) throws(Stop) -> UInt8? {
        if position < piece.count { return piece[position] }
        return try fetch(more)
    }

    private mutating func fetch(_ more: More) throws(Stop) -> UInt8? {
        guard let next = more() else { throw .interrupted }
        piece = next
        position = 0
        return piece.first
    }

    /// Steps over a byte that was peeked at.
    @inline(__always)
    mutating func advance() { position += 1 }

    /// Steps over `byte` if it is next.
    @inline(__always)
    mutating func take(_ byte: UInt8, _ more: More) throws(Stop) -> Bool {
        guard try peek(more) == byte else { return false }
        position += 1
        return true
    }

    @inline(__always)
    private mutating func skipBlanks(_ more: More) throws(Stop) {
        while let byte = try peek(more), HTTPToken.isBlank(byte) { position += 1 }
    }
}
