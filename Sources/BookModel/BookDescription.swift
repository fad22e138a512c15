extension Book {
    /// The description as plain text; nil if there is none. Reader apps store descriptions with HTML tags and
    /// entities.
    ///
    /// Tags are removed, and common entities are decoded. White space is collapsed to single spaces. A `<` that does
    /// not begin a tag is kept.
    public var plainDescription: String? { description.map(Self.plain) }

    private static let entities: [(name: String, text: String)] = [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&nbsp;", " "),
        ("&amp;", "&"),
    ]

    private static func plain(_ html: String) -> String {
        var plain: [UInt8] = []
        var rest = Array(html.utf8)[...]
        func add(_ byte: UInt8) {
            let isSpace = byte == 0x20 || (0x09...0x0D).contains(byte)
            if !isSpace {
                plain.append(byte)
            } else if plain.last != 0x20, !plain.isEmpty {
                plain.append(0x20)
            }
        }
        // A `<` after the last `>` does not begin a tag. Find the last `>` once, so that the time stays linear.
        let lastEnd = rest.lastIndex(of: UInt8(ascii: ">")) ?? rest.startIndex
        while let byte = rest.first {
            if byte == UInt8(ascii: "<"), rest.startIndex < lastEnd, beginsTag(rest.dropFirst()) {
                rest = rest.drop { $0 != UInt8(ascii: ">") }.dropFirst()
                add(0x20)
            } else if byte == UInt8(ascii: "&"),
                let entity = entities.first(where: { rest.starts(with: $0.name.utf8) })
            {
                rest = rest.dropFirst(entity.name.utf8.count)
                entity.text.utf8.forEach(add)
            } else {
                rest = rest.dropFirst()
                add(byte)
            }
        }
        if plain.last == 0x20 { plain.removeLast() }
        return String(decoding: plain, as: UTF8.self)
    }

    private static func beginsTag(_ rest: ArraySlice<UInt8>) -> Bool {
        guard let first = rest.first else { return false }
        return (0x61...0x7A).contains(first | 0x20) || first == UInt8(ascii: "/")
            || first == UInt8(ascii: "!")
    }
}
