import DeviceWire
import PropertyLists
import Testing

@Suite("Length-prefixed property lists are found in any stream")
struct PropertyListFrameTests {
    static let lists: [PropertyList] = [
        ["Request": "QueryType"], ["Request": "StartSession", "HostID": "x"], [],
    ]

    @Test("The length is big-endian and in one piece with the list")
    func layout() throws {
        let bytes = try PropertyListFrame.encode(["a": "b"])
        let length = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        #expect(length == bytes.count - 4)
        #expect(bytes.dropFirst(4).starts(with: Array("<?xml".utf8)))
    }

    @Test("Lists received together are returned one by one", arguments: [PropertyList.Form.xml, .binary])
    func glued(form: PropertyList.Form) throws {
        var stream = try Self.lists.flatMap { try PropertyListFrame.encode($0, as: form) }[...]
        for list in Self.lists { #expect(try PropertyListFrame.decode(&stream) == list) }
        #expect(try PropertyListFrame.decode(&stream) == nil)
        #expect(stream.isEmpty)
    }

    @Test("Fed byte by byte, a list comes out with its last byte and not before")
    func byteWise() throws {
        let bytes = try PropertyListFrame.encode(["Request": "QueryType"])
        for length in 0..<bytes.count {
            var part = bytes.prefix(length)
            #expect(try PropertyListFrame.decode(&part) == nil)
            #expect(part.count == length)
        }
        var whole = bytes[...]
        #expect(try PropertyListFrame.decode(&whole) == ["Request": "QueryType"])
    }

    @Test("A length of nothing or beyond the limit is refused before its bytes arrive")
    func lengths() {
        var nothing: ArraySlice<UInt8> = [0, 0, 0, 0]
        #expect(throws: WireError.self) { try PropertyListFrame.decode(&nothing) }
        var huge: ArraySlice<UInt8> = [0xFF, 0xFF, 0xFF, 0xFF]
        #expect(throws: WireError.self) { try PropertyListFrame.decode(&huge) }
        var limited: ArraySlice<UInt8> = [0, 0, 0, 11]
        #expect(throws: WireError.self) { try PropertyListFrame.decode(&limited, limit: 10) }
    }
}
