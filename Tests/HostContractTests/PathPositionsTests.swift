import Testing

@testable import HostContract

@Suite("A table of paths finds positions by hashes")
struct PathPositionsTests {
    @Test("Every position is found by its hash, also where hashes are equal or neighbours")
    func positions() {
        var table = PathPositions()
        let hashes: [UInt32] = (0..<500).map { $0 % 7 == 0 ? 5 : UInt32($0 % 31) &* 0x1000_0001 }
        for hash in hashes { table.append(hash) }
        for (position, hash) in hashes.enumerated() {
            #expect(table.position(of: hash) { $0 == position } == position)
        }
    }

    @Test("Only positions with the hash are looked at, and a hash that is missing has none")
    func others() {
        var table = PathPositions()
        #expect(table.position(of: 1) { _ in true } == nil)
        // The low bits of both choose the same slot.
        for hash: UInt32 in [0x10, 0x20, 0x10] { table.append(hash) }
        var seen: [Int] = []
        let found = table.position(of: 0x10) { position in
            seen.append(position)
            return false
        }
        #expect(found == nil)
        #expect(seen == [0, 2])
        #expect(table.position(of: 0x30) { _ in true } == nil)
    }

    @Test("Equal hashes are looked at in the order in which they came, however the table has grown")
    func order() {
        var table = PathPositions()
        // The last slots of each table, so that the search continues at its beginning.
        let hashes = (0..<200).map { UInt32(0xFFFF_FFF0 + $0 % 16) }
        for hash in hashes { table.append(hash) }
        for hash in Set(hashes) {
            var seen: [Int] = []
            _ = table.position(of: hash) { position in
                seen.append(position)
                return false
            }
            #expect(seen == hashes.indices.filter { hashes[$0] == hash })
        }
    }
}
