import BibTeX

/// One entry in the three states of a library, given by block indexes.
struct EntryTriple {
    var base: Int?
    var host: Int?
    var device: Int?
}

/// Matches each entry with its versions in the base and on the other side.
///
/// Entries match if they have the same key, without case. If a key occurs several times, entries with the same
/// content match, then those at the same place. `RenamedEntries` matches an entry whose key was changed.
package struct EntryPairs {
    /// The matched entries, those of the host first and in their order.
    private(set) var triples: [EntryTriple] = []
    /// Keys in lower case that occur several times and cannot be matched.
    private(set) var ambiguous: Set<String> = []

    private let base: BibTeXDocument
    private let host: BibTeXDocument
    private let device: BibTeXDocument

    init(base: BibTeXDocument, host: BibTeXDocument, device: BibTeXDocument) {
        self.base = base
        self.host = host
        self.device = device
        let bases = Self.keyed(base)
        let hosts = Self.keyed(host)
        let devices = Self.keyed(device)
        var hostOf = paired(bases, base, hosts, host)
        var deviceOf = paired(bases, base, devices, device)
        addRenamed(&hostOf, bases, hosts, host)
        addRenamed(&deviceOf, bases, devices, device)
        join(bases, hosts, devices, hostOf, deviceOf)
    }

    /// The entry of a side for each agreed entry, by block indexes. Entries whose cite key the side changed are
    /// included.
    package static func versions(of base: BibTeXDocument, in side: BibTeXDocument) -> [Int: Int] {
        let triples = EntryPairs(base: base, host: base, device: side).triples
        return Dictionary(
            triples.compactMap { triple in
                triple.base.flatMap { old in triple.device.map { (old, $0) } }
            }, uniquingKeysWith: { first, _ in first })
    }

    private typealias Keyed = [String: [Int]]

    private static func keyed(_ document: BibTeXDocument) -> Keyed {
        var keyed: Keyed = [:]
        for (index, block) in document.blocks.enumerated() {
            if let key = block.key { keyed[key.lowercased(), default: []].append(index) }
        }
        return keyed
    }

    /// The entry on a side for each base entry with the same key.
    private mutating func paired(
        _ bases: Keyed, _ base: BibTeXDocument, _ sides: Keyed, _ side: BibTeXDocument
    ) -> [Int: Int] {
        var pairs: [Int: Int] = [:]
        for (key, olds) in bases {
            guard let news = sides[key] else { continue }
            if olds.count == 1, news.count == 1 {
                pairs[olds[0]] = news[0]
                continue
            }
            let equal = EqualBlocks(olds.map { base.blocks[$0] }, news.map { side.blocks[$0] })
            for (old, new) in equal.partners { pairs[olds[old]] = news[new] }
            let open = equal.firstAlone.map { olds[$0] }
            let left = equal.secondAlone.map { news[$0] }
            if open.count == left.count {
                for (old, new) in zip(open, left) { pairs[old] = new }
            } else if !open.isEmpty, !left.isEmpty {
                ambiguous.insert(key)
            }
        }
        return pairs
    }

    /// Matches entries whose key was changed.
    private func addRenamed(
        _ pairs: inout [Int: Int], _ bases: Keyed, _ sides: Keyed, _ side: BibTeXDocument
    ) {
        let gone = Self.alone(bases, notIn: sides, base)
        let new = Self.alone(sides, notIn: bases, side)
        pairs.merge(RenamedEntries(base, gone: gone, side, new: new).pairs) { old, _ in old }
    }

    /// The readable entries of a library whose keys occur once there and not in another one.
    private static func alone(_ keyed: Keyed, notIn other: Keyed, _ library: BibTeXDocument) -> [Int] {
        keyed.filter { other[$0.key] == nil && $0.value.count == 1 }.compactMap(\.value.first)
            .filter { !library.blocks[$0].isOpaque }.sorted()
    }

    private mutating func join(
        _ bases: Keyed, _ hosts: Keyed, _ devices: Keyed, _ hostOf: [Int: Int], _ deviceOf: [Int: Int]
    ) {
        var baseOfHost: [Int: Int] = [:]
        for (base, host) in hostOf { baseOfHost[host] = base }
        let takenDevices = Set(deviceOf.values)
        var pairedDevices: Set<Int> = []
        // From the end, so that `popLast` takes the first one.
        var newDevices: Keyed = [:]
        for (key, places) in devices {
            newDevices[key] = places.reversed().filter { !takenDevices.contains($0) }
        }
        for index in host.blocks.indices {
            guard let key = host.blocks[index].key?.lowercased(), !ambiguous.contains(key) else { continue }
            if let old = baseOfHost[index] {
                triples.append(EntryTriple(base: old, host: index, device: deviceOf[old]))
                continue
            }
            // Both sides added an entry with this key.
            let twin = newDevices[key]?.popLast()
            if let twin { pairedDevices.insert(twin) }
            triples.append(EntryTriple(base: nil, host: index, device: twin))
        }
        for index in base.blocks.indices {
            guard let key = base.blocks[index].key?.lowercased(), !ambiguous.contains(key),
                hostOf[index] == nil
            else { continue }
            triples.append(EntryTriple(base: index, host: nil, device: deviceOf[index]))
        }
        for index in device.blocks.indices {
            guard let key = device.blocks[index].key?.lowercased(), !ambiguous.contains(key),
                !takenDevices.contains(index), !pairedDevices.contains(index)
            else { continue }
            triples.append(EntryTriple(base: nil, host: nil, device: index))
        }
    }
}
