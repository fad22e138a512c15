/// The light rules of all built-in sniffers, looked up by an extension or a media type.
struct LightRuleTable: Sendable {
    private struct Slot: Sendable {
        var low: UInt64 = 0
        var high: UInt64 = 0
        var rules: UInt64 = 0
    }

    /// The table for the 18 sniffers and the later ones.
    static let shared = LightRuleTable(BuiltInSniffer.all)

    /// A hash table with open addressing. A slot without rules ends a search.
    private let slots: [Slot]
    private let mediaTypes: EssenceTable
    /// Rules that do not count if a better one is satisfied.
    private let exceptions: [(rule: UInt64, better: UInt64)]

    init(_ sniffers: [BuiltInSniffer]) {
        var slots = [Slot](repeating: Slot(), count: 256)
        var types = EssenceTable()
        var exceptions: [(rule: UInt64, better: UInt64)] = []
        for (place, sniffer) in sniffers.enumerated() {
            let rule: UInt64 = 1 << UInt64(place)
            for name in sniffer.extensions {
                guard let key = ExtensionKey(name.utf8) else { continue }
                var index = key.hash
                while slots[index].rules != 0, slots[index].low != key.low || slots[index].high != key.high {
                    index = (index + 1) & 255
                }
                slots[index] = Slot(low: key.low, high: key.high, rules: slots[index].rules | rule)
            }
            for type in sniffer.mediaTypes { types.insert(type, rule) }
            if let better = sniffers.firstIndex(where: { $0.format == sniffer.exception }) {
                exceptions.append((rule, 1 << UInt64(better)))
            }
        }
        self.slots = slots
        mediaTypes = types
        self.exceptions = exceptions
    }

    /// The rules that the extension of a path satisfies.
    func rules(extensionOfPath path: String) -> UInt64 {
        let bytes = path.utf8
        return bytes.withContiguousStorageIfAvailable { bytes in
            FileExtension.range(inPath: bytes).map { rules(ExtensionKey(bytes[$0])) } ?? 0
        } ?? FileExtension.range(inPath: bytes).map { rules(ExtensionKey(bytes[$0])) } ?? 0
    }

    /// The rules that an extension hint satisfies.
    func rules(fileExtension hint: String) -> UInt64 {
        let bytes = hint.utf8
        return bytes.withContiguousStorageIfAvailable { rules(ExtensionKey($0)) }
            ?? rules(ExtensionKey(bytes))
    }

    private func rules(_ key: ExtensionKey?) -> UInt64 {
        guard let key else { return 0 }
        var index = key.hash
        while slots[index].rules != 0 {
            if slots[index].low == key.low, slots[index].high == key.high { return slots[index].rules }
            index = (index + 1) & 255
        }
        return 0
    }

    /// The rules that the hints of all kinds satisfy.
    func rules(path: String?, fileExtensions: [String], mediaTypes: [String]) -> UInt64 {
        var rules: UInt64 = 0
        if let path { rules |= self.rules(extensionOfPath: path) }
        for hint in fileExtensions { rules |= self.rules(fileExtension: hint) }
        for hint in mediaTypes { rules |= self.rules(mediaType: hint) }
        for exception in exceptions where rules & exception.better != 0 { rules &= ~exception.rule }
        return rules
    }

    /// The rules that a media type hint satisfies, before exceptions are applied.
    private func rules(mediaType hint: String) -> UInt64 {
        let bytes = hint.utf8
        return bytes.withContiguousStorageIfAvailable { mediaTypes.rules($0) }
            ?? Array(bytes).withUnsafeBufferPointer { mediaTypes.rules($0) }
    }
}

extension SnifferHints {
    /// The built-in sniffers whose light rules the hints satisfy, one bit each.
    var rules: UInt64 {
        if let knownRules { return knownRules }
        let rules = LightRuleTable.shared.rules(
            path: path, fileExtensions: givenExtensions, mediaTypes: mediaTypes)
        knownRules = rules
        return rules
    }
}
