import Platform
import Testing

@Suite("FNV-1a has its known values")
struct FNV1aTests {
    @Test("The hashes are those of its authors, for bytes in any pieces")
    func fnv1a() {
        #expect(FNV1a.of([]) == 0xCBF2_9CE4_8422_2325)
        #expect(FNV1a.of("foobar".utf8) == 0x8594_4171_F739_67E8)
        var hash = FNV1a()
        hash.add(UInt8(ascii: "f"))
        hash.add("oobar".utf8)
        #expect(hash.value == FNV1a.of("foobar".utf8))
        var other = FNV1a(beginning: 1)
        other.add("foobar".utf8)
        #expect(other.value != hash.value)
    }
}
