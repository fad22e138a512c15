import Platform
import Testing

@Suite("An index finds positions by the hashes of their keys")
struct HashIndexTests {
    @Test("Every key has its positions in their order, even when hashes are equal or share a slot")
    func positions() {
        var index = HashIndex()
        let hashes: [UInt32] = (0..<5_000).map { $0 % 7 == 0 ? 5 : UInt32($0 % 31) &* 0x1000_0001 }
        for (position, hash) in hashes.enumerated() { index.insert(hash, at: position) }
        for hash in Set(hashes) {
            #expect(index.positions(of: hash) == hashes.indices.filter { hashes[$0] == hash })
        }
    }

    @Test("A position is found among others with the same hash")
    func one() {
        var index = HashIndex()
        let hashes: [UInt32] = (0..<500).map { UInt32($0 % 3) }
        for (position, hash) in hashes.enumerated() { index.insert(hash, at: position) }
        for (position, hash) in hashes.enumerated() {
            #expect(index.position(of: hash) { $0 == position } == position)
        }
    }

    @Test("Only positions with the hash are compared, and an unknown hash has none")
    func others() {
        var index = HashIndex()
        #expect(index.position(of: 1) { _ in true } == nil)
        #expect(index.positions(of: 1).isEmpty)
        // The low bits of all select the same slot.
        for (position, hash) in [0x10, 0x20, 0x10].enumerated() { index.insert(UInt32(hash), at: position) }
        var compared: [Int] = []
        let found = index.position(of: 0x10) { position in
            compared.append(position)
            return false
        }
        #expect(found == nil)
        #expect(compared == [2, 0])
        #expect(index.position(of: 0x30) { _ in true } == nil)
    }

    @Test("Equal keys have equal hashes, and the hash of a text is not that of another")
    func hashes() {
        let keys = (0..<1_000).map { "name \($0)" }
        #expect(HashIndex.hash("e\u{301}") == HashIndex.hash("\u{E9}"))
        #expect(Set(keys.map { HashIndex.hash($0) }).count > 990)
        // Bytes are compared as they are.
        func hash(_ text: String) -> UInt32 { Array(text.utf8).withUnsafeBytes { HashIndex.hash($0) } }
        #expect(hash("e\u{301}") != hash("\u{E9}"))
    }
}
