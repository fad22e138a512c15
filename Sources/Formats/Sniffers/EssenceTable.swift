import Platform

/// A media type without parameters as bytes with their hash, so that a lookup needs neither a string nor a copy.
private struct EssenceKey {
    /// The FNV-1a hash of the bytes in lower case.
    let hash: UInt64
    /// The type and subtype, valid as long as the bytes of the hint are.
    let bytes: Slice<UnsafeBufferPointer<UInt8>>

    /// The key of the part before the parameters of a hint; nil if it is not a media type.
    init?(_ hint: UnsafeBufferPointer<UInt8>) {
        var start = hint.startIndex
        while start < hint.endIndex, HTTPToken.isBlank(hint[start]) { start += 1 }
        var end = start
        var hash = FNV1a()
        var solidus: Int?
        while end < hint.endIndex {
            let byte = hint[end]
            if byte == UInt8(ascii: "/") {
                guard solidus == nil else { return nil }
                solidus = end
            } else if !HTTPToken.contains(byte) {
                break
            }
            hash.add(HTTPToken.lowered(byte))
            end += 1
        }
        var rest = end
        while rest < hint.endIndex, HTTPToken.isBlank(hint[rest]) { rest += 1 }
        guard let solidus, solidus > start, solidus < end - 1,
            rest == hint.endIndex || hint[rest] == UInt8(ascii: ";")
        else { return nil }
        self.hash = hash.value
        bytes = hint[start..<end]
    }
}

/// The rules for media types, looked up by the bytes of a hint.
struct EssenceTable: Sendable {
    /// The rules for one type and subtype.
    struct Known: Sendable {
        /// The rules that the type satisfies with any parameters.
        var rules: UInt64 = 0
        /// The rules that require parameters.
        var withParameters: [ParameterRule] = []
    }

    private struct Slot: Sendable {
        var essence: [UInt8] = []
        var known = Known()
    }

    /// A hash table with open addressing. A slot without a type ends a search.
    private var slots = [Slot](repeating: Slot(), count: 256)

    /// Adds a rule.
    mutating func insert(_ type: MediaType, _ rule: UInt64) {
        let essence = Array(type.essence.utf8)
        guard let hash = essence.withUnsafeBufferPointer({ EssenceKey($0)?.hash }) else { return }
        var index = EssenceTable.place(hash)
        while !slots[index].essence.isEmpty, slots[index].essence != essence { index = (index + 1) & 255 }
        slots[index].essence = essence
        if type.sortedParameters.isEmpty {
            slots[index].known.rules |= rule
        } else {
            slots[index].known.withParameters.append(ParameterRule(type, rule))
        }
    }

    /// The rules that a hint satisfies; 0 if none. Its parameters are parsed only if a rule requires some.
    func rules(_ hint: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard let known = known(hint) else { return 0 }
        return known.withParameters.reduce(known.rules) { $1.isSatisfied(by: hint) ? $0 | $1.rule : $0 }
    }

    /// The rules for the type at the beginning of a hint; nil if there are none.
    private func known(_ hint: UnsafeBufferPointer<UInt8>) -> Known? {
        guard let key = EssenceKey(hint) else { return nil }
        var index = EssenceTable.place(key.hash)
        while !slots[index].essence.isEmpty {
            if slots[index].essence.count == key.bytes.count,
                slots[index].essence.elementsEqual(key.bytes, by: { $0 == HTTPToken.lowered($1) })
            {
                return slots[index].known
            }
            index = (index + 1) & 255
        }
        return nil
    }

    private static func place(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: (hash ^ hash >> 32) & 255) }
}

/// A light rule that requires parameters in addition to a type.
struct ParameterRule: Sendable {
    /// The bit of the rule.
    let rule: UInt64
    private let wanted: [(name: [UInt8], value: [UInt8])]

    /// Creates a rule for a type whose parameter values are compared as written. No rule has a `charset` parameter.
    init(_ type: MediaType, _ rule: UInt64) {
        self.rule = rule
        wanted = type.sortedParameters.map { (Array($0.name.utf8), Array($0.value.utf8)) }
    }

    /// Whether a hint has all parameters with their values, without creating strings. If the hint repeats a name, the
    /// first value counts.
    func isSatisfied(by hint: UnsafeBufferPointer<UInt8>) -> Bool {
        var scanner = HeaderScanner(hint)
        var seen: UInt64 = 0
        while let parameter = scanner.nextRawParameter() {
            for place in wanted.indices
            where seen & 1 << UInt64(place) == 0 && parameter.isNamed(wanted[place].name) {
                guard parameter.isValue(wanted[place].value) else { return false }
                seen |= 1 << UInt64(place)
            }
        }
        return seen.nonzeroBitCount == wanted.count
    }
}
