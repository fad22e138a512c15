/// Which built-in sniffers an extension or a media type speaks for: the light rules of all of them, turned around.
struct LightTable: Sendable {
    private struct Slot: Sendable {
        var low: UInt64 = 0
        var high: UInt64 = 0
        var rules: UInt64 = 0
    }

    /// The table of the 18 sniffers and the later ones.
    static let shared = LightTable(BuiltInSniffer.all)

    /// Open addressing; a slot without rules ends a search.
    private let slots: [Slot]
    private let mediaTypes: [String: [(type: MediaType, rule: UInt64)]]
    private let exclusions: [(type: MediaType, rule: UInt64)]

    init(_ sniffers: [BuiltInSniffer]) {
        var slots = [Slot](repeating: Slot(), count: 256)
        var mediaTypes: [String: [(MediaType, UInt64)]] = [:]
        var exclusions: [(MediaType, UInt64)] = []
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
            for type in sniffer.mediaTypes { mediaTypes[type.essence, default: []].append((type, rule)) }
            if let type = sniffer.exception { exclusions.append((type, rule)) }
        }
        self.slots = slots
        self.mediaTypes = mediaTypes
        self.exclusions = exclusions
    }

    /// The rules that a path's extension satisfies.
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

    /// The rules that media type hints satisfy, less those that one of them speaks against.
    func rules(mediaTypes hints: [MediaType]) -> UInt64 {
        var rules: UInt64 = 0
        for hint in hints {
            guard let candidates = mediaTypes[hint.essence] else { continue }
            for candidate in candidates where candidate.type.contains(hint) { rules |= candidate.rule }
        }
        guard rules != 0 else { return 0 }
        for exclusion in exclusions where rules & exclusion.rule != 0 {
            if hints.contains(where: exclusion.type.contains) { rules &= ~exclusion.rule }
        }
        return rules
    }
}
