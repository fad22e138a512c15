import Publications
import Testing

@Suite("Identifiers are read as publications write them")
struct IdentifierTests {
    @Test("ISBNs are known by their check digit")
    func isbn() {
        func isbn(_ text: String) -> String? { PublicationIdentifier(scheme: "isbn", value: text).isbn }
        #expect(isbn("978-3-16-148410-0") == "9783161484100")
        #expect(isbn("3 16 148410 x") == "316148410X")
        #expect(isbn("978-3-16-148410-1") == nil)
        #expect(isbn("31614841X0") == nil)
        #expect(isbn("9771234567003") == nil)
        #expect(isbn("") == nil)
        #expect(PublicationIdentifier(text: "9783161484100")?.scheme == "isbn")
        #expect(PublicationIdentifier(text: "316148410X")?.scheme == nil)
        #expect(PublicationIdentifier(text: "ISBN:316148410X")?.isbn == "316148410X")
    }

    @Test("UUIDs are known by their form, unless another scheme is stated")
    func uuid() {
        let text = "A1B2C3D4-0000-1111-2222-333344445555"
        #expect(PublicationIdentifier(text: text)?.uuid == text.lowercased())
        #expect(PublicationIdentifier(text: "urn:uuid:" + text)?.uuid == text.lowercased())
        #expect(PublicationIdentifier(text: "uuid:" + text, scheme: "UUID")?.uuid == text.lowercased())
        #expect(PublicationIdentifier(text: text, scheme: "asin")?.uuid == nil)
        #expect(PublicationIdentifier(text: text.replacing("4", with: "g"))?.uuid == nil)
        for none in ["00000000-0000-0000-0000-000000000000", "FFFFFFFF-ffff-ffff-ffff-ffffffffffff"] {
            #expect(PublicationIdentifier(text: "urn:uuid:" + none)?.uuid == nil)
        }
        #expect(PublicationIdentifier(text: "urn:uuid:" + text) == PublicationIdentifier(text: text))
        #expect(PublicationIdentifier(text: "urn:isbn:316148410X")?.isbn == "316148410X")
        #expect(PublicationIdentifier(text: "urn:") == nil)
        #expect(PublicationIdentifier(text: "  ") == nil)
    }
}
