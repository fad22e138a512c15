/// Walks through a JSON text that arrives in pieces. It checks the grammar (RFC 8259) but creates only the values
/// that are requested.
///
/// The parser of the JSON module is not used here because it needs the complete text and creates all values, while
/// the first members of a manifest of many megabytes are sufficient. Tests compare the two parsers.
struct JSONWalker {
    /// The reason why the walk ended early.
    enum Stop: Error {
        /// The text is not JSON.
        case malformed
        /// The source of the pieces stopped reading.
        case interrupted
    }

    /// The deepest nesting of arrays and objects that is accepted.
    static let deepest = 256
    /// The longest text in bytes. Longer texts are cut, which does not affect the rules: they compare texts with
    /// shorter ones.
    private static let longestText = 4096

    /// Returns the next piece: empty at the end, nil to stop.
    private let more: () -> [UInt8]?
    private let piece = JSONPiece()
    /// The bytes of the piece, valid until the next one is fetched.
    private var base: UnsafePointer<UInt8>
    private var position = 0
    private var end = 0
    private var depth = 0
    /// A text that is assembled from several parts.
    private var scratch: [UInt8] = []

    init(_ more: @escaping () -> [UInt8]?) {
        self.more = more
        base = piece.bytes
    }

    // MARK: values

    /// Skips a byte order mark of UTF-8.
    mutating func skipMark() throws(Stop) {
        guard try peek() == 0xEF else { return }
        for expected in [0xEF, 0xBB, 0xBF] as [UInt8] {
            guard try take(expected) else { throw .malformed }
        }
    }

    /// Skips white space and returns the first byte of the next value.
    mutating func valueStart() throws(Stop) -> UInt8 {
        try skipBlanks()
        guard let byte = try peek() else { throw .malformed }
        return byte
    }

    /// Walks through the members of an object, starting at its brace. `member` must consume each value.
    mutating func object(_ member: (inout JSONWalker, JSONName) throws(Stop) -> Void) throws(Stop) {
        try open(UInt8(ascii: "{"))
        try skipBlanks()
        if try take(UInt8(ascii: "}")) { return close() }
        while true {
            try skipBlanks()
            let name = JSONName(try textBytes())
            try skipBlanks()
            guard try take(UInt8(ascii: ":")) else { throw .malformed }
            try member(&self, name)
            try skipBlanks()
            if try take(UInt8(ascii: "}")) { return close() }
            guard try take(UInt8(ascii: ",")) else { throw .malformed }
        }
    }

    /// Walks through the items of an array, starting at its bracket. `item` must consume each item.
    mutating func array(_ item: (inout JSONWalker) throws(Stop) -> Void) throws(Stop) {
        try open(UInt8(ascii: "["))
        try skipBlanks()
        if try take(UInt8(ascii: "]")) { return close() }
        while true {
            try item(&self)
            try skipBlanks()
            if try take(UInt8(ascii: "]")) { return close() }
            guard try take(UInt8(ascii: ",")) else { throw .malformed }
        }
    }

    private mutating func open(_ bracket: UInt8) throws(Stop) {
        guard try take(bracket), depth < Self.deepest else { throw .malformed }
        depth += 1
    }

    private mutating func close() { depth -= 1 }

    /// Skips any value without creating it.
    mutating func skipValue() throws(Stop) {
        switch try valueStart() {
        case UInt8(ascii: "\""): try skipText()
        case UInt8(ascii: "{"): try skipObject()
        case UInt8(ascii: "["): try array { (walker) throws(Stop) in try walker.skipValue() }
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: try number()
        }
    }

    /// Skips an object without examining its names.
    private mutating func skipObject() throws(Stop) {
        try open(UInt8(ascii: "{"))
        try skipBlanks()
        if try take(UInt8(ascii: "}")) { return close() }
        while true {
            try skipBlanks()
            try skipText()
            try skipBlanks()
            guard try take(UInt8(ascii: ":")) else { throw .malformed }
            try skipValue()
            try skipBlanks()
            if try take(UInt8(ascii: "}")) { return close() }
            guard try take(UInt8(ascii: ",")) else { throw .malformed }
        }
    }

    /// Parses the next text and returns at most its first bytes.
    mutating func string() throws(Stop) -> String { String(decoding: try textBytes(), as: UTF8.self) }

    /// Skips white space and checks that nothing follows.
    mutating func finish() throws(Stop) {
        try skipBlanks()
        guard try peek() == nil else { throw .malformed }
    }

    // MARK: texts

    /// Parses the next text and returns at most its first bytes, valid until the walker is used again.
    mutating func textBytes() throws(Stop) -> UnsafeBufferPointer<UInt8> {
        guard try take(UInt8(ascii: "\"")) else { throw .malformed }
        let start = position
        skipPlain()
        if position < end, base[position] == UInt8(ascii: "\"") {
            position += 1
            let count = min(position - 1 - start, Self.longestText)
            return UnsafeBufferPointer(start: base + start, count: count)
        }
        scratch.removeAll(keepingCapacity: true)
        let known = min(position - start, Self.longestText)
        scratch.append(contentsOf: UnsafeBufferPointer(start: base + start, count: known))
        try restOfText(isKept: true)
        piece.keep(scratch)
        return piece.kept
    }

    /// Skips the next text.
    mutating func skipText() throws(Stop) {
        guard try take(UInt8(ascii: "\"")) else { throw .malformed }
        skipPlain()
        if position < end, base[position] == UInt8(ascii: "\"") {
            position += 1
        } else {
            try restOfText(isKept: false)
        }
    }

    /// Skips the bytes of this piece that need no special treatment.
    @inline(__always)
    private mutating func skipPlain() {
        var position = position
        while position + 8 <= end, Self.isPlain(base + position) { position += 8 }
        while position < end {
            let byte = base[position]
            guard byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else {
                break
            }
            position += 1
        }
        self.position = position
    }

    /// Whether none of the next eight bytes needs special treatment. They are checked at once.
    @inline(__always)
    private static func isPlain(_ start: UnsafePointer<UInt8>) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        let bytes = UnsafeRawPointer(start).loadUnaligned(as: UInt64.self)
        // A byte is zero, or below 0x20, if a subtraction borrows into its top bit, which was not set before.
        let quotes = bytes ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslashes = bytes ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let found =
            (bytes &- ones &* 0x20) & ~bytes | (quotes &- ones) & ~quotes | (backslashes &- ones)
            & ~backslashes
        return (found | bytes) & tops == 0
    }

    /// Parses the rest of a text that has escapes or non-ASCII characters, or extends over several pieces.
    private mutating func restOfText(isKept: Bool) throws(Stop) {
        while true {
            guard let byte = try peek() else { throw .malformed }
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return
            case UInt8(ascii: "\\"):
                position += 1
                let scalar = try escape()
                if isKept { for byte in String(scalar).utf8 { keep(byte) } }
            case ..<0x20: throw .malformed
            case ..<0x80:
                position += 1
                if isKept { keep(byte) }
            default: try sequence(byte, isKept: isKept)
            }
        }
    }

    private mutating func keep(_ byte: UInt8) {
        if scratch.count < Self.longestText { scratch.append(byte) }
    }

    /// Parses one character of several bytes and validates it (Unicode standard, table 3-7).
    private mutating func sequence(_ first: UInt8, isKept: Bool) throws(Stop) {
        var following: Int
        var allowed: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: following = 1
        case 0xE0: (following, allowed) = (2, 0xA0...0xBF)
        case 0xED: (following, allowed) = (2, 0x80...0x9F)
        case 0xE1...0xEF: following = 2
        case 0xF0: (following, allowed) = (3, 0x90...0xBF)
        case 0xF1...0xF3: following = 3
        case 0xF4: (following, allowed) = (3, 0x80...0x8F)
        default: throw .malformed
        }
        position += 1
        if isKept { keep(first) }
        while following > 0 {
            guard let byte = try peek(), allowed.contains(byte) else { throw .malformed }
            position += 1
            if isKept { keep(byte) }
            allowed = 0x80...0xBF
            following -= 1
        }
    }

    // MARK: bytes

    /// The next byte, after fetching a piece if necessary; nil at the end.
    @inline(__always)
    mutating func peek() throws(Stop) -> UInt8? {
        if position < end { return base[position] }
        return try fetch()
    }

    private mutating func fetch() throws(Stop) -> UInt8? {
        guard let next = more() else { throw .interrupted }
        piece.fill(next)
        base = piece.bytes
        position = 0
        end = next.count
        return next.first
    }

    /// Skips a byte that was peeked.
    @inline(__always)
    mutating func advance() { position += 1 }

    /// Skips `byte` if it is next; returns whether it was.
    @inline(__always)
    mutating func take(_ byte: UInt8) throws(Stop) -> Bool {
        guard try peek() == byte else { return false }
        position += 1
        return true
    }

    @inline(__always)
    private mutating func skipBlanks() throws(Stop) {
        while let byte = try peek(), HTTPToken.isBlank(byte) { position += 1 }
    }
}
