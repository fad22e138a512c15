import Platform
import Testing

@Suite("Devices are known by any spelling of their identifier")
struct UDIDTests {
    @Test("Case and the dash make no difference, and nothing else is left out")
    func spelling() {
        #expect(UDID.isSame("00008020-001122334455002E", "00008020001122334455002e"))
        #expect(!UDID.isSame("00008020-001122334455002E", "00008020-001122334455002F"))
        #expect(UDID.plain("00008020-001122334455002E") == "00008020001122334455002e")
        #expect(UDID.plain(" a_B") == " a_b")
    }
}
