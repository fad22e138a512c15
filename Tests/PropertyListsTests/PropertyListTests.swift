import Diagnostics
import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("Property lists keep their values and survive hostile bytes")
struct PropertyListTests {
    /// The values that every reader of property lists knows.
    static let plain: PropertyList = [
        "Request": "GetValue", "Empty": "", "Text": "Ünïcödé 漢字 🙂 & <tag>", "Zero": 0, "One": 1,
        "Negative": -5,
        "Large": .integer(.max), "Yes": true, "No": false, "Half": .real(0.5), "Whole": .real(1),
        "Date": .date(Date(timeIntervalSinceReferenceDate: 1000)), "Data": .data(Data([0, 1, 254, 255])),
        "List": ["a", 2, ["nested": []]], "Many": .array((0..<40).map { .integer(Int64($0 * 1000)) }),
    ]

    static let sample: PropertyList = [
        "Plain": plain, "Unsigned": .unsigned(.max), "Reference": .uid(300), "Empty": [:],
        "Long": .string(String(repeating: "long ", count: 100)), "Again": "Request",
        "Odd": ["": "é", "\t": "a\r\nb"],
    ]

    @Test("Both forms come back as they were, kinds included", arguments: [PropertyList.Form.xml, .binary])
    func roundTrip(form: PropertyList.Form) throws {
        #expect(try PropertyList(parsing: Self.sample.encoded(form)) == Self.sample)
    }

    @Test("A list cut at any length is an error", arguments: [PropertyList.Form.xml, .binary])
    func truncated(form: PropertyList.Form) throws {
        let bytes = try Self.sample.encoded(form)
        // XML may lose the white space after its last tag.
        let end = form == .xml ? (bytes.lastIndex(of: UInt8(ascii: ">")) ?? 0) : bytes.count
        for length in 0..<end {
            #expect(throws: PropertyListError.self) { try PropertyList(parsing: bytes.prefix(length)) }
        }
    }

    @Test(
        "A list with damaged bytes is parsed or refused, never fatal",
        arguments: [PropertyList.Form.xml, .binary])
    func damaged(form: PropertyList.Form) throws {
        let bytes = try Self.sample.encoded(form)
        var random = SeededGenerator(seed: 42)
        var refused = 0
        for _ in 0..<2000 {
            var copy = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                copy[Int.random(in: 0..<copy.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            do {
                _ = try PropertyList(parsing: copy)
            } catch {
                #expect([.malformed, .tooLarge, .unsupported].contains(error.code))
                refused += 1
            }
        }
        #expect(refused > 0)
    }

    @Test("A small binary list that unfolds without end is refused")
    func unfolding() throws {
        // Each object is a list that contains the next one twice.
        let objects = (1...60).map { [0xA2, UInt8($0), UInt8($0)] } + [[0x09]]
        #expect(throws: PropertyListError.self) { try PropertyList(parsing: binaryList(objects)) }
    }

    @Test("A small binary list that repeats a long string is refused where each use would be a copy")
    func repetition() throws {
        let long: [UInt8] = [0x5F, 0x11, 0x40, 0x00] + Array(repeating: 0x61, count: 0x4000)
        let objects = [[0xAF, 0x11, 0x10, 0x00] + Array(repeating: 1, count: 0x1000), long]
        let bytes = binaryList(objects)
        #expect(throws: PropertyListError.self) { try PropertyList(parsing: bytes) }
        let text = PropertyList.string(String(repeating: "a", count: 0x4000))
        let all = try PropertyList(parsing: bytes, limits: .file).array
        #expect(all?.count == 0x1000)
        #expect(all?.allSatisfy { $0 == text } == true)
    }

    @Test("A library of many books with the same keys and values is read again")
    func manyAlike() throws {
        let book: PropertyList = [
            "Publisher Unique ID": "the same for every book of this list", "Inserted-By-iBooks": true,
        ]
        let list = PropertyList.array(Array(repeating: book, count: 20_000))
        for form in PropertyList.Form.allCases {
            #expect(try PropertyList(parsing: try list.encoded(form), limits: .file) == list)
        }
    }

    @Test("A binary list that contains itself is refused")
    func cycle() {
        #expect(throws: PropertyListError.self) { try PropertyList(parsing: binaryList([[0xA1, 0]])) }
    }

    @Test("XML nested deeper than any protocol needs is refused", arguments: ["array", "dict"])
    func nesting(tag: String) {
        let count = 100_000
        let text =
            "<?xml version=\"1.0\"?><plist version=\"1.0\">" + String(repeating: "<\(tag)>", count: count)
            + String(repeating: "</\(tag)>", count: count) + "</plist>"
        #expect(throws: PropertyListError.self) { try PropertyList(parsing: text.utf8) }
    }

    @Test(
        "Other text is not a property list",
        arguments: [
            "", "hello", "{ a = b; }", "<plist/>", "bplist99", "<plist><dict/>", "<dict/>",
            "<plist><dict/></plist><plist/>", "<plist><dict/></plist>x",
        ])
    func otherText(text: String) {
        #expect(throws: PropertyListError.self) { try PropertyList(parsing: text.utf8) }
    }

    @Test("A number that does not fit 63 bits keeps its sign and its value")
    func largeNumber() throws {
        let text =
            "<?xml version=\"1.0\"?><plist version=\"1.0\"><integer>18446744073709551615</integer></plist>"
        #expect(try PropertyList(parsing: text.utf8) == .unsigned(.max))
        let unsigned: [UInt8] = [0x14] + Array(repeating: 0, count: 8) + Array(repeating: 0xFF, count: 8)
        #expect(try PropertyList(parsing: binaryList([unsigned])) == .unsigned(.max))
        let larger: [UInt8] = [0x14] + Array(repeating: 1, count: 16)
        #expect(throws: PropertyListError.self) { try PropertyList(parsing: binaryList([larger])) }
    }

    /// A binary list of the given objects, with the first as the root, and one byte for each offset and reference if
    /// they fit.
    private func binaryList(_ objects: [[UInt8]]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)]
            bytes += object
        }
        let table = UInt64(bytes.count)
        bytes += offsets + [0, 0, 0, 0, 0, 0, 2, 1]
        for number in [UInt64(objects.count), 0, table] {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
        }
        return bytes
    }
}
